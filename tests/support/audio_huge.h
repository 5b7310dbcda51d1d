// Recordings of hours that exist nowhere but in a generator: a header, silence, and what ends it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "audio/source.h"
#include "support/audio_wav.h"

namespace steno::test {

class HugeStream : public audio::ByteStream {
 public:
  // `silence` is the byte of silence: 0, or 0x80 for 8-bit WAV, 0xFF for mu-law.
  HugeStream(std::string header, std::int64_t num_silent_bytes, char silence, std::string tail)
      : header_(std::move(header)),
        num_silent_bytes_(num_silent_bytes),
        silence_(silence),
        tail_(std::move(tail)) {}

  std::size_t read(std::span<std::byte> out) override {
    const auto [part, left] = part_at(offset_bytes_);
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(left, std::ssize(out)));
    if (part == nullptr) {
      std::memset(out.data(), silence_, count);
    } else {
      std::memcpy(out.data(), part, count);
    }
    offset_bytes_ += static_cast<std::int64_t>(count);
    return count;
  }
  std::optional<std::int64_t> size_bytes() const override {
    return std::ssize(header_) + num_silent_bytes_ + std::ssize(tail_);
  }
  void seek(std::int64_t offset_bytes) override { offset_bytes_ = offset_bytes; }

 private:
  // Where the bytes are (null: silence), and how many of them.
  std::pair<const char*, std::int64_t> part_at(std::int64_t offset) const {
    if (offset < std::ssize(header_))
      return {header_.data() + offset, std::ssize(header_) - offset};
    offset -= std::ssize(header_);
    if (offset < num_silent_bytes_) return {nullptr, num_silent_bytes_ - offset};
    offset -= num_silent_bytes_;
    return {tail_.data() + offset, std::ssize(tail_) - offset};
  }

  std::string header_;
  std::int64_t num_silent_bytes_;
  char silence_;
  std::string tail_;
  std::int64_t offset_bytes_ = 0;
};

inline audio::Source huge_source(std::string header, std::int64_t num_silent_bytes, char silence,
                                 std::string tail) {
  return audio::Source::custom(
      [=] { return std::make_unique<HugeStream>(header, num_silent_bytes, silence, tail); },
      "huge");
}

// EBU Tech 3306: the sizes that do not fit into 32 bits are in 'ds64'.
inline std::string rf64_header(const WavFormat& format, std::uint64_t num_data_bytes) {
  std::string bytes = wav_header(format, 0xFFFFFFFF);
  bytes.replace(0, 4, "RF64");
  std::string ds64 = "ds64";
  append<std::uint32_t>(ds64, 28);
  append<std::uint64_t>(ds64, num_data_bytes + bytes.size() + 28);
  append<std::uint64_t>(ds64, num_data_bytes);
  append<std::uint64_t>(ds64, 0);
  append<std::uint32_t>(ds64, 0);
  return bytes.insert(12, ds64);
}

// Sony Wave64: GUIDs for tags, 64-bit sizes that count the chunk's own head, chunks of 8 n bytes.
inline std::string w64_header(const WavFormat& format, std::uint64_t num_data_bytes) {
  const std::string guid_end("\xF3\xAC\xD3\x11\x8C\xD1\x00\xC0\x4F\x8E\xDB\x8A", 12);
  const std::string riff("riff\x2E\x91\xCF\x11\xA5\xD6\x28\xDB\x04\xC1\x00\x00", 16);
  std::string chunk = wav_format_chunk(format).substr(8);
  std::string bytes = riff;
  append<std::uint64_t>(bytes, 40 + 24 + chunk.size() + 24 + num_data_bytes);
  bytes += "wave" + guid_end;
  bytes += "fmt " + guid_end;
  append<std::uint64_t>(bytes, 24 + chunk.size());
  bytes += chunk;
  bytes += "data" + guid_end;
  append<std::uint64_t>(bytes, 24 + num_data_bytes);
  return bytes;
}

}  // namespace steno::test
