#include "audio/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "audio/fd_stream.h"
#include "base/error.h"

namespace steno::audio {
namespace {

class PrependedStream : public ByteStream {
 public:
  PrependedStream(std::span<const std::byte> head, std::unique_ptr<ByteStream> rest)
      : head_(head.begin(), head.end()), rest_(std::move(rest)) {}

  std::size_t read(std::span<std::byte> out) override {
    if (offset_ == head_.size()) return rest_->read(out);
    const std::size_t count = std::min(out.size(), head_.size() - offset_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(offset_), count, out.begin());
    offset_ += count;
    return count;
  }

 private:
  std::vector<std::byte> head_;
  std::size_t offset_ = 0;
  std::unique_ptr<ByteStream> rest_;
};

[[noreturn]] void throw_spool_error(const std::string& name) {
  throw Error(
      ErrorCode::kUnavailable,
      "audio: {}: this container has to be stored before it can be read, and that failed: {}; "
      "point TMPDIR at a disk with room",
      name, std::strerror(errno));
}

int open_unnamed_file(const std::string& name) {
  std::error_code no_directory;
  const auto directory = std::filesystem::temp_directory_path(no_directory);
  std::string path = ((no_directory ? "/tmp" : directory) / "steno-XXXXXX").native();
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) throw_spool_error(name);
  ::unlink(path.c_str());
  return fd;
}

void write_all(int fd, std::span<const std::byte> bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(fd, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw_spool_error(name);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

struct Closer {
  int fd;
  ~Closer() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

std::unique_ptr<ByteStream> spool(std::span<const std::byte> head, ByteStream& stream,
                                  const std::string& name) {
  Closer file{open_unnamed_file(name)};
  write_all(file.fd, head, name);
  std::vector<std::byte> block(std::size_t{1} << 16);
  while (const std::size_t count = stream.read(block)) {
    write_all(file.fd, std::span(block).first(count), name);
  }
  ::lseek(file.fd, 0, SEEK_SET);
  return std::make_unique<FdStream>(std::exchange(file.fd, -1), FdStream::Ownership::kOwned, name);
}

std::unique_ptr<ByteStream> prepend(std::span<const std::byte> head,
                                    std::unique_ptr<ByteStream> stream) {
  return std::make_unique<PrependedStream>(head, std::move(stream));
}

}  // namespace steno::audio
