#include "audio/xing.h"

#include <cstring>

namespace steno::audio {
namespace {

constexpr std::uint32_t kHasFrames = 1;
constexpr std::uint32_t kHasBytes = 2;

std::uint32_t read_be32(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = (value << 8) | std::to_integer<std::uint32_t>(bytes[offset + i]);
  }
  return value;
}

bool is_frame(std::span<const std::byte> bytes) {
  return bytes[0] == std::byte{0xFF} && (bytes[1] & std::byte{0xE0}) == std::byte{0xE0};
}

}  // namespace

std::optional<std::int64_t> find_xing_bytes(std::span<const std::byte> frames) {
  // After the header (4) and the side information of MPEG-1 stereo (32), of MPEG-1 mono or MPEG-2
  // stereo (17), of MPEG-2 mono (9).
  for (const std::size_t offset : {std::size_t{36}, std::size_t{21}, std::size_t{13}}) {
    if (frames.size() < offset + 16 || !is_frame(frames)) continue;
    const std::byte* tag = frames.data() + offset;
    if (std::memcmp(tag, "Xing", 4) != 0 && std::memcmp(tag, "Info", 4) != 0) continue;
    const std::uint32_t flags = read_be32(frames, offset + 4);
    if ((flags & kHasBytes) == 0) return std::nullopt;
    return read_be32(frames, offset + ((flags & kHasFrames) != 0 ? 12 : 8));
  }
  return std::nullopt;
}

}  // namespace steno::audio
