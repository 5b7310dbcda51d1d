#include "audio/spool.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "audio/ffmpeg/containers.h"
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

// What was stored; read by any number of streams.
struct Spooled {
  explicit Spooled(const std::string& name)
      : file(fmt::format("audio: {}: what comes through a pipe has to be stored here", name)) {}

  void append(std::span<const std::byte> bytes) {
    file.write_at(size_bytes, bytes);
    size_bytes += std::ssize(bytes);
  }

  TemporaryFile file;
  std::int64_t size_bytes = 0;
};

class SpooledStream : public ByteStream {
 public:
  explicit SpooledStream(std::shared_ptr<const Spooled> spooled) : spooled_(std::move(spooled)) {}

  std::size_t read(std::span<std::byte> out) override {
    const std::int64_t left_bytes = spooled_->size_bytes - offset_bytes_;
    const auto count = std::min(out.size(), static_cast<std::size_t>(left_bytes));
    spooled_->file.read_at(offset_bytes_, out.first(count));
    offset_bytes_ += static_cast<std::int64_t>(count);
    return count;
  }
  std::optional<std::int64_t> size_bytes() const override { return spooled_->size_bytes; }
  void seek(std::int64_t offset_bytes) override {
    offset_bytes_ = std::min(offset_bytes, spooled_->size_bytes);
  }

 private:
  std::shared_ptr<const Spooled> spooled_;
  std::int64_t offset_bytes_ = 0;
};

std::shared_ptr<const Spooled> store(std::span<const std::byte> head, ByteStream& stream,
                                     std::int64_t max_bytes, const std::string& name) {
  auto spooled = std::make_shared<Spooled>(name);
  std::vector<std::byte> block(std::size_t{1} << 16);
  std::span<const std::byte> next = head;
  while (!next.empty()) {
    if (spooled->size_bytes + std::ssize(next) > max_bytes) {
      throw Error(ErrorCode::kInvalidValue,
                  "audio: {}: what comes through a pipe has to be stored here, and may have {}; "
                  "give it as a file or raise --max-pipe-size",
                  name, format_bytes(max_bytes));
    }
    spooled->append(next);
    next = std::span(block).first(stream.read(block));
  }
  return spooled;
}

}  // namespace

std::unique_ptr<ByteStream> spool(std::span<const std::byte> head, ByteStream& stream,
                                  std::int64_t max_bytes, const std::string& name) {
  return std::make_unique<SpooledStream>(store(head, stream, max_bytes, name));
}

Source make_rereadable(const Source& source, std::int64_t max_bytes) {
  const std::unique_ptr<ByteStream> stream = source.open();
  if (stream->size_bytes()) return source;
  const Sniffed sniffed = sniff(*stream, source.name());
  auto spooled = store(sniffed.head, *stream, max_bytes, source.name());
  return Source::custom([spooled] { return std::make_unique<SpooledStream>(spooled); },
                        source.name());
}

std::unique_ptr<ByteStream> prepend(std::span<const std::byte> head,
                                    std::unique_ptr<ByteStream> stream) {
  return std::make_unique<PrependedStream>(head, std::move(stream));
}

}  // namespace steno::audio
