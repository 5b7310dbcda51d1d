#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace steno::file {
namespace {

namespace fs = std::filesystem;

ErrorCode code_of(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
      return ErrorCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
      return ErrorCode::kInvalidValue;
    default:
      return ErrorCode::kUnavailable;
  }
}

[[noreturn]] void throw_system_error(const fs::path& path, std::string_view what,
                                     int error_number) {
  throw Error(code_of(error_number), "{}: cannot {}: {}", path.string(), what,
              std::generic_category().message(error_number));
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;

  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  // False with errno set where the system reports a late write error.
  bool close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

void write_all(int fd, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_system_error(path, "write", errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_in_place(const fs::path& path, std::string_view content) {
  const FileDescriptor out(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!out.is_open()) throw_system_error(path, "open", errno);
  write_all(out.get(), content, path);
}

// A file beside `target` that nobody has yet; removed unless it was renamed.
class SiblingFile {
 public:
  explicit SiblingFile(const fs::path& target) : target_(target), descriptor_(open_new()) {}
  ~SiblingFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  SiblingFile(const SiblingFile&) = delete;
  SiblingFile& operator=(const SiblingFile&) = delete;

  void write_and_sync(std::string_view content) {
    write_all(descriptor_.get(), content, target_);
    if (::fsync(descriptor_.get()) != 0) throw_system_error(target_, "sync", errno);
    if (!descriptor_.close()) throw_system_error(target_, "close", errno);
  }

  void rename_to_target() {
    if (::rename(path_.c_str(), target_.c_str()) != 0) throw_system_error(target_, "rename", errno);
    path_.clear();
    // The new name survives a power cut only once the folder is on disk too. Not every file system
    // can sync a folder, and the content is whole either way.
    const FileDescriptor folder(::open(folder_of_target().c_str(), O_RDONLY | O_CLOEXEC));
    if (folder.is_open()) ::fsync(folder.get());
  }

 private:
  fs::path folder_of_target() const {
    return target_.has_parent_path() ? target_.parent_path() : fs::path(".");
  }

  // Not mkstemp: it makes files that only the owner can read, whatever the umask says.
  int open_new() {
    static std::atomic<unsigned> counter{0};
    while (true) {
      path_ = folder_of_target() / fmt::format(".steno-{}-{}.tmp", ::getpid(), counter++);
      const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (fd >= 0) return fd;
      if (errno == EEXIST) continue;  // left behind by a process that had our id
      throw_system_error(target_, "create", errno);
    }
  }

  fs::path target_;
  fs::path path_;
  FileDescriptor descriptor_;
};

}  // namespace

std::string read(const fs::path& path, std::size_t max_bytes) {
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  const FileDescriptor in(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!in.is_open()) throw_system_error(path, "open", errno);
  struct stat status {};
  if (::fstat(in.get(), &status) != 0) throw_system_error(path, "read", errno);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::kNotFound, "{}: not a regular file", path.string());
  }

  // The size is a hint only: the file may change while it is read, and is 0 under /proc.
  constexpr std::size_t kMinReadBytes = 4096;
  std::string content;
  std::size_t num_read = 0;
  while (num_read <= max_bytes) {
    if (num_read == content.size()) {
      const auto hint = static_cast<std::size_t>(status.st_size) + 1;
      content.resize(std::max({std::min(hint, max_bytes + 1), 2 * num_read, kMinReadBytes}));
    }
    const ssize_t got = ::read(in.get(), content.data() + num_read, content.size() - num_read);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_system_error(path, "read", errno);
    if (got == 0) {
      content.resize(num_read);
      return content;
    }
    num_read += static_cast<std::size_t>(got);
  }
  throw Error(ErrorCode::kInvalidValue, "{}: larger than the {} bytes allowed here", path.string(),
              max_bytes);
}

void write_atomically(const fs::path& path, std::string_view content) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw_system_error(path, "write", EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_in_place(path, content);

  std::error_code error;
  const fs::path target = fs::is_regular_file(status) ? fs::canonical(path, error) : path;
  if (error) throw_system_error(path, "resolve", error.value());
  SiblingFile sibling(target);
  sibling.write_and_sync(content);
  sibling.rename_to_target();
}

}  // namespace steno::file
