#include "features/spill_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>
#include <system_error>

#include "base/check.h"
#include "base/error.h"

namespace steno::features {
namespace {

std::filesystem::path temporary_folder() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

[[noreturn]] void throw_unavailable(const char* action, const std::filesystem::path& folder) {
  const std::string reason = std::generic_category().message(errno);
  throw Error(
      ErrorCode::kUnavailable,
      "features: cannot {} a temporary file for long audio in {}: {}; free some space, or set "
      "TMPDIR to a folder that has some",
      action, folder.string(), reason);
}

}  // namespace

SpillFile::SpillFile() : folder_(temporary_folder()) {
  std::string name = (folder_ / "steno-mel-XXXXXX").string();
  descriptor_ = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor_ < 0) throw_unavailable("create", folder_);
  ::unlink(name.c_str());
}

SpillFile::~SpillFile() {
  ::close(descriptor_);
}

void SpillFile::write_at(std::int64_t offset_bytes, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), offset_bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_unavailable("write", folder_);
    offset_bytes += written;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void SpillFile::read_at(std::int64_t offset_bytes, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got = ::pread(descriptor_, bytes.data(), bytes.size(), offset_bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_unavailable("read", folder_);
    STENO_CHECK(got > 0, "nothing was written at byte {}", offset_bytes);
    offset_bytes += got;
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace steno::features
