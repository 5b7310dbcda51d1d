#include "tensor/arena.h"

#include <algorithm>

namespace steno {
namespace {

constexpr std::size_t kAlign = 64;
constexpr std::size_t kMinChunkBytes = std::size_t{1} << 20;

}  // namespace

Tensor Arena::take(const Shape& shape, DType dtype) {
  const std::size_t bytes = static_cast<std::size_t>(shape.num_elements()) * size_bytes(dtype);
  const std::size_t rounded = (bytes + kAlign) / kAlign * kAlign;
  if (chunks_.empty() || chunks_.back().memory.size_bytes() - chunks_.back().used_bytes < rounded) {
    const std::size_t chunk_bytes = std::max(rounded, kMinChunkBytes);
    chunks_.push_back({Tensor::make({static_cast<std::int64_t>(chunk_bytes)}, DType::kU8), 0});
  }
  Chunk& chunk = chunks_.back();
  std::byte* at = static_cast<std::byte*>(chunk.memory.raw()) + chunk.used_bytes;
  chunk.used_bytes += rounded;
  return Tensor::borrow(at, shape, dtype);
}

void Arena::reset() {
  if (chunks_.size() > 1) {
    const std::size_t total = capacity_bytes();
    chunks_.clear();
    chunks_.push_back({Tensor::make({static_cast<std::int64_t>(total)}, DType::kU8), 0});
  }
  for (Chunk& chunk : chunks_) chunk.used_bytes = 0;
}

std::size_t Arena::capacity_bytes() const {
  std::size_t total = 0;
  for (const Chunk& chunk : chunks_) total += chunk.memory.size_bytes();
  return total;
}

}  // namespace steno
