// Power spectra of real frames of 400 samples, eight frames side by side.
// Path: features/log_mel cuts frames -> here -> features/mel_filterbank.
// Source: Stockham's autosort FFT in mixed radix (Van Loan, Computational Frameworks, 1.7).
//
// Every array is [row][lane], lane = frame. The arithmetic of a lane never sees its neighbours, so
// a frame gives the same bits in any lane and beside any frame.
//
// Threads: const after construction; any number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace steno::features {

inline constexpr int kFrameSamples = 400;
inline constexpr int kNumBins = kFrameSamples / 2 + 1;
// Two SSE registers; frames and work arrays are 38 KB then, which stay inside a 48 KB L1.
inline constexpr int kLanes = 8;

using FrameLanes = std::array<float, std::size_t{kFrameSamples} * kLanes>;  // [400][8]
using PowerLanes = std::array<float, std::size_t{kNumBins} * kLanes>;       // [201][8]

struct Complex {
  float re = 0;
  float im = 0;
};

class PowerSpectrum {
 public:
  PowerSpectrum();

  // power[k][lane] = |sum over n of frames[n][lane] * exp(-2 pi i k n / 400)|^2, k in [0, 201).
  void transform(const FrameLanes& frames, PowerLanes& power) const;

 private:
  std::vector<Complex> first_twiddles_;   // of the radix-5 pass over length 200
  std::vector<Complex> second_twiddles_;  // of the radix-5 pass over length 40
  std::vector<Complex> unpack_twiddles_;  // exp(-2 pi i k / 400), k in [0, 100]
};

}  // namespace steno::features
