#include "vad/embedded_weights.h"

// The assembler reads the file. STENO_VAD_WEIGHTS is its path, from CMakeLists.txt.
// clang-format off
__asm__(
    ".pushsection .rodata\n"
    ".balign 64\n"
    "steno_vad_weights_begin:\n"
    ".incbin \"" STENO_VAD_WEIGHTS "\"\n"
    "steno_vad_weights_end:\n"
    ".popsection\n");
// clang-format on

extern "C" {
extern const std::byte steno_vad_weights_begin[];
extern const std::byte steno_vad_weights_end[];
}

namespace steno::vad {

std::span<const std::byte> embedded_weights() {
  return {steno_vad_weights_begin, steno_vad_weights_end};
}

}  // namespace steno::vad
