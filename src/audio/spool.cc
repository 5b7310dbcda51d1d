#include "audio/spool.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "audio/ffmpeg/messages.h"
#include "base/error.h"
#include "base/temporary_file.h"

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

class SpooledStream : public ByteStream {
 public:
  explicit SpooledStream(const std::string& name)
      : file_(fmt::format("audio: {}: this container has to be stored before it can be read",
                          name)) {}

  void append(std::span<const std::byte> bytes) {
    file_.write_at(size_bytes_, bytes);
    size_bytes_ += std::ssize(bytes);
  }

  std::size_t read(std::span<std::byte> out) override {
    const auto count = std::min(out.size(), static_cast<std::size_t>(size_bytes_ - offset_bytes_));
    file_.read_at(offset_bytes_, out.first(count));
    offset_bytes_ += static_cast<std::int64_t>(count);
    return count;
  }
  std::optional<std::int64_t> size_bytes() const override { return size_bytes_; }
  void seek(std::int64_t offset_bytes) override {
    offset_bytes_ = std::min(offset_bytes, size_bytes_);
  }

 private:
  TemporaryFile file_;
  std::int64_t size_bytes_ = 0;
  std::int64_t offset_bytes_ = 0;
};

}  // namespace

std::unique_ptr<ByteStream> spool(std::span<const std::byte> head, ByteStream& stream,
                                  std::int64_t max_bytes, const std::string& name) {
  auto spooled = std::make_unique<SpooledStream>(name);
  std::vector<std::byte> block(std::size_t{1} << 16);
  std::span<const std::byte> next = head;
  while (!next.empty()) {
    if (*spooled->size_bytes() + std::ssize(next) > max_bytes) {
      throw Error(
          ErrorCode::kInvalidValue,
          "audio: {}: this container has to be stored before it can be read, and a pipe may "
          "have {}; give it as a file",
          name, format_bytes(max_bytes));
    }
    spooled->append(next);
    next = std::span(block).first(stream.read(block));
  }
  return spooled;
}

std::unique_ptr<ByteStream> prepend(std::span<const std::byte> head,
                                    std::unique_ptr<ByteStream> stream) {
  return std::make_unique<PrependedStream>(head, std::move(stream));
}

}  // namespace steno::audio
