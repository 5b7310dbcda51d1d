#include "hub/repository_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

namespace steno::hub {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void throw_system_error(const fs::path& path, std::string_view what, int number) {
  const bool is_lasting = number == EACCES || number == EPERM || number == EROFS ||
                          number == ENOTDIR || number == ENAMETOOLONG;
  throw Error(is_lasting ? ErrorCode::kInvalidValue : ErrorCode::kUnavailable,
              "hub: {}: cannot {}: {} (HF_HUB_CACHE names another folder for models)",
              path.string(), what, std::generic_category().message(number));
}

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw_system_error(folder, "make the folder", error.value());
}

// "org/name" -> "models--org--name"
std::string folder_name(std::string_view repository) {
  std::string name = "models--";
  for (const char c : repository) name += c == '/' ? "--" : std::string(1, c);
  return name;
}

bool is_same_file(int fd, const fs::path& path) {
  struct stat by_fd {};
  struct stat by_path {};
  return ::fstat(fd, &by_fd) == 0 && ::stat(path.c_str(), &by_path) == 0 &&
         by_fd.st_ino == by_path.st_ino && by_fd.st_dev == by_path.st_dev;
}

// False where the file system has no locks.
bool lock_whole_file(int fd, const std::function<void()>& on_wait, const fs::path& path) {
  if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno == EWOULDBLOCK) {
    on_wait();
    while (::flock(fd, LOCK_EX) != 0) {
      if (errno != EINTR) throw_system_error(path, "lock", errno);
    }
    return true;
  }
  log::warning("hub: {}: no locks on this file system ({}): do not fetch a model twice at once",
               path.string(), std::generic_category().message(errno));
  return false;
}

}  // namespace

OwnedFd::~OwnedFd() {
  if (fd_ >= 0) ::close(fd_);
}

OwnedFd::OwnedFd(OwnedFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

RepositoryFolder::RepositoryFolder(fs::path cache, const ModelId& id)
    : cache_(std::move(cache)), name_(folder_name(id.repository)) {}

void RepositoryFolder::make() const {
  make_folders(cache_ / name_ / "blobs");
}

OwnedFd RepositoryFolder::lock(const RemoteFile& file, const std::function<void()>& on_wait) const {
  const fs::path folder = cache_ / ".locks" / name_;
  const fs::path path = folder / (file.hash + ".lock");
  while (true) {
    make_folders(folder);
    OwnedFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (fd.get() < 0) throw_system_error(path, "open", errno);
    // Who held the lock may have removed the file before letting go: then ours locks nothing.
    if (!lock_whole_file(fd.get(), on_wait, path) || is_same_file(fd.get(), path)) return fd;
  }
}

fs::path RepositoryFolder::blob(const RemoteFile& file) const {
  return cache_ / name_ / "blobs" / file.hash;
}

fs::path RepositoryFolder::partial(const RemoteFile& file) const {
  return cache_ / name_ / "blobs" / (file.hash + ".incomplete");
}

bool RepositoryFolder::has_blob(const RemoteFile& file) const {
  std::error_code error;
  return fs::is_regular_file(blob(file), error) &&
         fs::file_size(blob(file), error) == file.size_bytes && !error;
}

void RepositoryFolder::publish(const RemoteFile& file) const {
  if (::rename(partial(file).c_str(), blob(file).c_str()) != 0) {
    throw_system_error(blob(file), "rename to", errno);
  }
}

fs::path RepositoryFolder::snapshot(std::string_view commit) const {
  return cache_ / name_ / "snapshots" / commit;
}

void RepositoryFolder::link(std::string_view commit, const RemoteFile& file) const {
  const fs::path folder = snapshot(commit);
  make_folders(folder);
  const fs::path path = folder / file.name;
  const fs::path target = fs::path("..") / ".." / "blobs" / file.hash;
  std::error_code ignored;
  if (fs::read_symlink(path, ignored) == target) return;
  const fs::path fresh = folder / fmt::format(".{}.{}.link", file.name, ::getpid());
  ::unlink(fresh.c_str());
  if (::symlink(target.c_str(), fresh.c_str()) != 0) {
    // A file system without links (a USB stick): the snapshot has the file itself.
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) {
      throw_system_error(fresh, "make the link", errno);
    }
    if (::rename(blob(file).c_str(), path.c_str()) != 0) {
      throw_system_error(path, "rename to", errno);
    }
    return;
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0) throw_system_error(path, "rename to", errno);
}

void RepositoryFolder::write_ref(std::string_view revision, std::string_view commit) const {
  if (revision == commit) return;
  const fs::path path = cache_ / name_ / "refs" / revision;
  make_folders(path.parent_path());
  file::write_atomically(path, commit);
}

std::uint64_t RepositoryFolder::free_bytes() const {
  struct statvfs status {};
  if (::statvfs((cache_ / name_).c_str(), &status) != 0) {
    return std::numeric_limits<std::uint64_t>::max();  // not known: writing will tell
  }
  return std::uint64_t{status.f_bavail} * status.f_frsize;
}

}  // namespace steno::hub
