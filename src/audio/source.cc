#include "audio/source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "audio/fd_stream.h"
#include "base/error.h"
#include "base/utf8.h"

namespace steno::audio {
namespace {

class MemoryStream : public ByteStream {
 public:
  MemoryStream(std::span<const std::byte> bytes, std::shared_ptr<const std::string> owner)
      : bytes_(bytes), owner_(std::move(owner)) {}

  std::size_t read(std::span<std::byte> out) override {
    const std::size_t count = std::min(out.size(), bytes_.size() - offset_);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset_), count, out.begin());
    offset_ += count;
    return count;
  }
  std::optional<std::int64_t> size_bytes() const override {
    return static_cast<std::int64_t>(bytes_.size());
  }
  void seek(std::int64_t offset_bytes) override {
    offset_ = std::min(static_cast<std::size_t>(offset_bytes), bytes_.size());
  }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const std::string> owner_;  // null for a view
  std::size_t offset_ = 0;
};

[[noreturn]] void throw_open_error(int error, const std::string& name) {
  if (error == ENOENT || error == ENOTDIR) {
    throw Error(ErrorCode::kNotFound, "audio: {}: there is no such file", name);
  }
  if (error == EACCES || error == EPERM) {
    throw Error(ErrorCode::kNotFound, "audio: {}: permission denied; make the file readable", name);
  }
  if (error == EMFILE || error == ENFILE || error == ENOMEM || error == EIO) {
    throw Error(ErrorCode::kUnavailable, "audio: {}: cannot be opened now: {}", name,
                std::strerror(error));
  }
  throw Error(ErrorCode::kNotFound, "audio: {}: cannot be opened: {}", name, std::strerror(error));
}

std::unique_ptr<ByteStream> open_file(const std::filesystem::path& path, const std::string& name) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0) throw_open_error(errno, name);
  return std::make_unique<FdStream>(fd, FdStream::Ownership::kOwned, name);
}

}  // namespace

Source::Source(Opener opener, const std::string& name)
    : opener_(std::move(opener)), name_(utf8::replace_invalid(name)) {}

Source Source::file(const std::filesystem::path& path) {
  const std::string name = utf8::replace_invalid(path.native());
  return {[path, name] { return open_file(path, name); }, name};
}

Source Source::stdin_stream() {
  return descriptor(STDIN_FILENO, "stdin");
}

Source Source::descriptor(int fd, std::string name) {
  auto opener = [fd, name] {
    return std::make_unique<FdStream>(fd, FdStream::Ownership::kBorrowed, name);
  };
  return {std::move(opener), name};
}

Source Source::memory(std::string bytes, std::string name) {
  auto owner = std::make_shared<const std::string>(std::move(bytes));
  auto opener = [owner] {
    return std::make_unique<MemoryStream>(std::as_bytes(std::span(*owner)), owner);
  };
  return {std::move(opener), name};
}

Source Source::view(std::span<const std::byte> bytes, std::string name) {
  return {[bytes] { return std::make_unique<MemoryStream>(bytes, nullptr); }, name};
}

Source Source::custom(Opener opener, std::string name) {
  return {std::move(opener), name};
}

}  // namespace steno::audio
