// A file descriptor as a ByteStream: a regular file seeks, everything else (pipe, terminal, socket)
// only goes on. Private to the room.
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>

#include "audio/source.h"

namespace steno::audio {

class FdStream : public ByteStream {
 public:
  enum class Ownership { kOwned, kBorrowed };

  // Throws Error(kInvalidAudio) for a directory.
  FdStream(int fd, Ownership ownership, std::string name);
  ~FdStream() override;
  FdStream(const FdStream&) = delete;
  FdStream& operator=(const FdStream&) = delete;

  std::size_t read(std::span<std::byte> out) override;
  std::optional<std::int64_t> size_bytes() const override { return size_bytes_; }
  void seek(std::int64_t offset_bytes) override { offset_bytes_ = offset_bytes; }

 private:
  int fd_;
  Ownership ownership_;
  std::string name_;
  // Where the descriptor stood: `(read line; steno -) < file` keeps the rest.
  std::int64_t base_bytes_ = 0;
  std::int64_t offset_bytes_ = 0;
  std::optional<std::int64_t> size_bytes_;
};

}  // namespace steno::audio
