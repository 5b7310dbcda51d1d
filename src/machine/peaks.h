// How much this machine can do at most, measured: multiply-adds that never leave the registers, and
// bytes read from memory. What kernels reach is told in shares of it.
//
// Per core and by the CPU time of each thread, so that a neighbour who takes a core does not count.
// Cores that work at the same time share memory and power: the figures hold for `num_threads`.
#pragma once

#include <optional>

namespace steno::machine {

struct Peaks {
  // 1e9 operations a second and core, two for each multiply-add; absent where this program knows no
  // instruction of this CPU for it.
  double f32_gops = 0;
  std::optional<double> bf16_gops;  // AVX512-BF16
  std::optional<double> int8_gops;  // AVX512-VNNI, else AVX2
  double read_gbytes = 0;           // 1e9 bytes a second and core, from arrays that no cache holds
};

// Takes about a second, and 256 MiB of memory or 32 MiB for each thread. Requires num_threads >= 1.
Peaks measure_peaks(int num_threads);

}  // namespace steno::machine
