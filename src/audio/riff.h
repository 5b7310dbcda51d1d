// How many bytes of samples a WAV or Wave64 file says it holds, so that a file which was cut off
// can be told from a whole one. FFmpeg reads what is there and does not say. Source: RIFF/WAVE
// (Microsoft, 1994), RF64/BW64 (EBU Tech 3306, ITU-R BS.2088), Wave64 (Sony). Private to the room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace steno::audio {

struct DataChunk {
  std::int64_t offset_bytes = 0;  // of the first sample
  std::int64_t claimed_bytes = 0;
};

// Nothing where `head` (the first bytes of the input) is neither, does not reach the 'data' chunk,
// or the size there is 0 or 0xFFFFFFFF: writers that stream do not know it.
std::optional<DataChunk> find_data_chunk(std::span<const std::byte> head);

}  // namespace steno::audio
