// Memory that one op writes and reads and nobody sees afterwards. It grows and never shrinks: after
// the first steps nothing is allocated. Threads: one owner.
#pragma once

#include <cstddef>

#include "tensor/tensor.h"

namespace steno::ops::cpu {

class Scratch {
 public:
  // 64-byte aligned, not initialised; invalidates what was taken before.
  std::byte* take_bytes(std::size_t bytes) {
    if (memory_.empty() || memory_.size_bytes() < bytes) {
      memory_ = Tensor::make({static_cast<std::int64_t>(bytes)}, DType::kU8);
    }
    return static_cast<std::byte*>(memory_.raw());
  }
  float* take_floats(std::int64_t count) {
    return reinterpret_cast<float*>(take_bytes(static_cast<std::size_t>(count) * sizeof(float)));
  }

 private:
  Tensor memory_;
};

}  // namespace steno::ops::cpu
