// silero_vad_v6_16k.safetensors as part of the program: no file to find, fetch or lose at run time.
// The build fetches the file (CMakeLists.txt of this room); its licence is in THIRD_PARTY.md.
#pragma once

#include <cstddef>
#include <span>

namespace steno::vad {

std::span<const std::byte> embedded_weights();

}  // namespace steno::vad
