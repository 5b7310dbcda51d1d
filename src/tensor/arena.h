// Memory for the results of ops: a block goes back when the last tensor on it dies, and is handed
// out again.
//
// After the first steps have shown which sizes are needed, a step takes nothing from the system,
// and only what is alive at one time counts: an encoder of 32 layers needs the memory of one.
// Threads: one thread at a time, for taking and for letting go.
#pragma once

#include <cstddef>
#include <memory>

#include "tensor/tensor.h"

namespace steno {

class Arena {
 public:
  Arena();

  // Not initialised, 64-byte aligned. The tensor may outlive the arena. Throws Error(kUnavailable)
  // when memory is out.
  Tensor take(const Shape& shape, DType dtype = DType::kF32);

  // Of all blocks, in use and waiting.
  std::size_t capacity_bytes() const;

 private:
  struct Blocks;
  std::shared_ptr<Blocks> blocks_;
};

}  // namespace steno
