#include "base/temporary_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/utf8.h"

namespace steno {
namespace {

std::filesystem::path temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

}  // namespace

void TemporaryFile::throw_unavailable(const char* action) const {
  const std::string reason = std::generic_category().message(errno);
  throw Error(
      ErrorCode::kUnavailable,
      "{}: cannot {} a temporary file in {}: {}; free some space, or set TMPDIR to a folder "
      "that has some",
      owner_, action, utf8::printable(folder_.native()), reason);
}

TemporaryFile::TemporaryFile(std::string owner)
    : owner_(std::move(owner)), folder_(temporary_folder()) {
  std::string name = (folder_ / "steno-XXXXXX").native();
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) throw_unavailable("create");
  ::unlink(name.c_str());
}

TemporaryFile::~TemporaryFile() {
  ::close(descriptor_);
}

void TemporaryFile::write_at(std::int64_t offset_bytes, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_unavailable("write");
    offset_bytes += written;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void TemporaryFile::read_at(std::int64_t offset_bytes, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), offset_bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_unavailable("read");
    STENO_CHECK(got > 0, "nothing was written at byte {}", offset_bytes);
    offset_bytes += got;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace steno
