#include "audio/fd_stream.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace steno::audio {

FdStream::FdStream(int fd, Ownership ownership, std::string name)
    : fd_(fd), ownership_(ownership), name_(std::move(name)) {
  struct stat status {};
  if (::fstat(fd_, &status) != 0) {
    throw Error(ErrorCode::kNotFound, "audio: {}: cannot be read: {}", name_, std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) {
    if (ownership_ == Ownership::kOwned) ::close(fd_);
    throw Error(ErrorCode::kInvalidAudio, "audio: {}: is a directory; name the files in it", name_);
  }
  if (!S_ISREG(status.st_mode)) return;
  const off_t position = ::lseek(fd_, 0, SEEK_CUR);
  base_bytes_ = std::max<off_t>(position, 0);
  size_bytes_ = std::max<std::int64_t>(status.st_size - base_bytes_, 0);
}

FdStream::~FdStream() {
  if (ownership_ == Ownership::kOwned) ::close(fd_);
}

std::size_t FdStream::read(std::span<std::byte> out) {
  while (true) {
    const ssize_t count = size_bytes_
                              ? ::pread(fd_, out.data(), out.size(), base_bytes_ + offset_bytes_)
                              : ::read(fd_, out.data(), out.size());
    if (count >= 0) {
      offset_bytes_ += count;
      return static_cast<std::size_t>(count);
    }
    if (errno == EINTR) continue;
    throw Error(ErrorCode::kUnavailable, "audio: {}: reading failed after {} bytes: {}", name_,
                offset_bytes_, std::strerror(errno));
  }
}

}  // namespace steno::audio
