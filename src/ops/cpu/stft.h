// Magnitudes of the short-time Fourier transform: the frames are dealt out by groups as wide as the
// kernels' lanes.
// Path: cpu_ops -> here -> spectrum (kernels). Threads: one call at a time; the work is spread over
// the pool.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/thread_pool.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/scratch.h"
#include "tensor/tensor.h"

namespace steno::ops::cpu {

class Stft {
 public:
  Stft(const Kernels& kernels, ThreadPool& pool) : kernels_(kernels), pool_(pool) {}

  // x [B, S], window [N], N a power of two of at least 4 -> out [B, num_frames, N / 2 + 1].
  void magnitudes(const Tensor& x, const Tensor& window, std::int64_t hop, std::int64_t num_frames,
                  float* out);

 private:
  struct Circle {  // cos and sin of 2 pi k / N, k in [0, N / 2]
    std::vector<float> cosines;
    std::vector<float> sines;
  };
  const Circle& circle(std::int64_t size);

  const Kernels& kernels_;
  ThreadPool& pool_;
  std::map<std::int64_t, Circle> circles_;  // by N
  Scratch work_;
};

}  // namespace steno::ops::cpu
