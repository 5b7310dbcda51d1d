// The unit of time of this room: a probability stands for one chunk of samples.
#pragma once

#include <cstdint>

namespace steno::vad {

inline constexpr std::int64_t kChunkSamples =
    512;  // 32 ms at 16 kHz, what the network was made for

}  // namespace steno::vad
