#include "audio/ffmpeg/byte_io.h"

#include <cstddef>
#include <cstdio>
#include <new>
#include <span>
#include <utility>

#include "base/error.h"

extern "C" {
#include <libavutil/error.h>
#include <libavutil/mem.h>
}

namespace steno::audio {
namespace {

constexpr int kBufferBytes = 1 << 16;

}  // namespace

ByteIo::ByteIo(std::unique_ptr<ByteStream> stream, std::function<bool()> cancelled,
               std::string name)
    : stream_(std::move(stream)), cancelled_(std::move(cancelled)), name_(std::move(name)) {
  auto* buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
  if (buffer == nullptr) throw std::bad_alloc();
  const bool seekable = stream_->size_bytes().has_value();
  context_ = avio_alloc_context(buffer, kBufferBytes, 0, this, read_packet, nullptr,
                                seekable ? seek_packet : nullptr);
  if (context_ == nullptr) {
    av_free(buffer);
    throw std::bad_alloc();
  }
}

ByteIo::~ByteIo() {
  av_freep(&context_->buffer);  // FFmpeg may have replaced ours
  avio_context_free(&context_);
}

int ByteIo::read_packet(void* self, std::uint8_t* buffer, int size) {
  auto& io = *static_cast<ByteIo*>(self);
  if (io.stream_error_) return AVERROR(EIO);
  try {
    if (io.cancelled_ && io.cancelled_()) {
      throw Error(ErrorCode::kUnavailable, "audio: {}: cancelled", io.name_);
    }
    const std::span out(reinterpret_cast<std::byte*>(buffer), static_cast<std::size_t>(size));
    const std::size_t count = io.stream_->read(out);
    io.offset_bytes_ += static_cast<std::int64_t>(count);
    return count == 0 ? AVERROR_EOF : static_cast<int>(count);
  } catch (...) {
    io.stream_error_ = std::current_exception();
    return AVERROR(EIO);
  }
}

std::int64_t ByteIo::seek_packet(void* self, std::int64_t offset, int whence) {
  auto& io = *static_cast<ByteIo*>(self);
  const std::int64_t size = *io.stream_->size_bytes();
  if ((whence & AVSEEK_SIZE) != 0) return size;
  const std::int64_t base = whence == SEEK_CUR ? io.offset_bytes_ : whence == SEEK_END ? size : 0;
  if (offset < -base || offset > size - base) return AVERROR(EINVAL);
  try {
    io.stream_->seek(base + offset);
  } catch (...) {
    io.stream_error_ = std::current_exception();
    return AVERROR(EIO);
  }
  io.offset_bytes_ = base + offset;
  return io.offset_bytes_;
}

}  // namespace steno::audio
