#include "audio/riff.h"

#include <cstring>
#include <limits>
#include <string_view>

namespace steno::audio {
namespace {

constexpr std::uint32_t kUnknownSize = 0xFFFFFFFF;

// Little-endian, as RIFF is; the caller has checked that the bytes are there.
template <typename Integer>
Integer read_le(std::span<const std::byte> bytes, std::size_t offset) {
  Integer value = 0;
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    value |= static_cast<Integer>(bytes[offset + i]) << (8 * i);
  }
  return value;
}

bool tag_is(std::span<const std::byte> bytes, std::size_t offset, std::string_view tag) {
  return std::memcmp(bytes.data() + offset, tag.data(), 4) == 0;
}

bool is_wave(std::span<const std::byte> head) {
  if (head.size() < 12 || !tag_is(head, 8, "WAVE")) return false;
  return tag_is(head, 0, "RIFF") || tag_is(head, 0, "RF64") || tag_is(head, 0, "BW64");
}

std::optional<DataChunk> claim(std::uint64_t offset, std::uint64_t claimed) {
  if (claimed == 0 || claimed > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return DataChunk{static_cast<std::int64_t>(offset), static_cast<std::int64_t>(claimed)};
}

// A chunk is a GUID, of which four letters tell enough, and a size that counts these 24 bytes; it
// begins at a multiple of 8.
std::optional<DataChunk> find_wave64_data(std::span<const std::byte> head) {
  constexpr std::uint64_t kChunkHead = 24;
  std::uint64_t offset = 40;
  while (offset + kChunkHead <= head.size()) {
    const auto size = read_le<std::uint64_t>(head, offset + 16);
    if (size < kChunkHead || size > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    if (tag_is(head, offset, "data")) return claim(offset + kChunkHead, size - kChunkHead);
    offset += (size + 7) / 8 * 8;
  }
  return std::nullopt;
}

bool is_wave64(std::span<const std::byte> head) {
  return head.size() >= 40 && tag_is(head, 0, "riff") && tag_is(head, 24, "wave");
}

}  // namespace

std::optional<DataChunk> find_data_chunk(std::span<const std::byte> head) {
  if (is_wave64(head)) return find_wave64_data(head);
  if (!is_wave(head)) return std::nullopt;
  std::uint64_t size_in_ds64 = 0;
  std::uint64_t offset = 12;
  while (offset + 8 <= head.size()) {
    const std::uint64_t body = offset + 8;
    const auto size = read_le<std::uint32_t>(head, offset + 4);
    if (tag_is(head, offset, "data")) {
      const std::uint64_t claimed = size == kUnknownSize ? size_in_ds64 : size;
      return claim(body, claimed);
    }
    if (tag_is(head, offset, "ds64") && body + 16 <= head.size()) {
      size_in_ds64 = read_le<std::uint64_t>(head, body + 8);
    }
    offset = body + size + (size & 1);  // chunks start at even offsets
  }
  return std::nullopt;
}

}  // namespace steno::audio
