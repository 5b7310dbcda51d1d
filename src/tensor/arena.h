// Memory for the tensors of one step: taken by moving a pointer, given back all at once.
//
// After the first steps have shown how much a step needs, a step allocates nothing from the system.
// Threads: one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "tensor/tensor.h"

namespace steno {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Not initialised, 64-byte aligned, valid until reset(). Throws Error(kUnavailable) when memory
  // is out.
  Tensor take(const Shape& shape, DType dtype = DType::kF32);

  // Invalidates every tensor taken. Chunks are merged into one as large as the largest step so far.
  void reset();

  std::size_t capacity_bytes() const;

 private:
  struct Chunk {
    Tensor memory;
    std::size_t used_bytes = 0;
  };
  std::vector<Chunk> chunks_;
};

}  // namespace steno
