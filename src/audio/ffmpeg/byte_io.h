// A ByteStream as FFmpeg's AVIOContext: the only way by which FFmpeg gets at bytes.
// Private to the room.
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "audio/source.h"

extern "C" {
#include <libavformat/avio.h>
}

namespace steno::audio {

class ByteIo {
 public:
  // Reading ends with Error(kUnavailable) once `cancelled` (may be empty) says so.
  ByteIo(std::unique_ptr<ByteStream> stream, std::function<bool()> cancelled, std::string name);
  ~ByteIo();
  ByteIo(const ByteIo&) = delete;
  ByteIo& operator=(const ByteIo&) = delete;

  AVIOContext* context() const { return context_; }

  // An exception cannot pass through FFmpeg: what was thrown is kept, FFmpeg is told EIO, and
  // the caller asks for it after each call into FFmpeg.
  void rethrow_stream_error() const {
    if (stream_error_) std::rethrow_exception(stream_error_);
  }

  // How far the input goes: its size, or what was read of it so far.
  std::int64_t size_bytes() const { return stream_->size_bytes().value_or(offset_bytes_); }

 private:
  static int read_packet(void* self, std::uint8_t* buffer, int size);
  static std::int64_t seek_packet(void* self, std::int64_t offset, int whence);

  std::unique_ptr<ByteStream> stream_;
  std::function<bool()> cancelled_;
  std::string name_;
  std::exception_ptr stream_error_;
  std::int64_t offset_bytes_ = 0;
  AVIOContext* context_ = nullptr;
};

}  // namespace steno::audio
