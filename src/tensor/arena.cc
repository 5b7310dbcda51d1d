#include "tensor/arena.h"

#include <iterator>
#include <map>
#include <utility>

namespace steno {
namespace {

constexpr std::size_t kRound = 4096;  // sizes that differ by less share blocks

}  // namespace

struct Arena::Blocks {
  std::multimap<std::size_t, Tensor> waiting;  // by size
  std::size_t capacity_bytes = 0;

  // The smallest waiting block that fits and is not more than twice too large, else a new one. The
  // new one takes the place of a block that waits and is somewhat too small: as sizes rise and
  // fall, blocks grow to what is needed at most instead of one being kept for each size.
  Tensor take(std::size_t bytes) {
    const auto found = waiting.lower_bound(bytes);
    if (found != waiting.end() && found->first <= 2 * bytes) {
      Tensor block = std::move(found->second);
      waiting.erase(found);
      return block;
    }
    if (found != waiting.begin() && 2 * std::prev(found)->first >= bytes) {
      capacity_bytes -= std::prev(found)->first;
      waiting.erase(std::prev(found));
    }
    capacity_bytes += bytes;
    return Tensor::make({static_cast<std::int64_t>(bytes)}, DType::kU8);
  }
};

Arena::Arena() : blocks_(std::make_shared<Blocks>()) {}

Tensor Arena::take(const Shape& shape, DType dtype) {
  const std::size_t bytes = static_cast<std::size_t>(shape.num_elements()) * size_bytes(dtype);
  Tensor block = blocks_->take((bytes + kRound) / kRound * kRound);
  void* data = block.raw();
  const auto give_back = [blocks = blocks_, block = std::move(block)](void*) mutable {
    blocks->waiting.emplace(block.size_bytes(), std::move(block));
  };
  return Tensor::adopt(std::shared_ptr<void>(data, give_back), shape, dtype);
}

std::size_t Arena::capacity_bytes() const {
  return blocks_->capacity_bytes;
}

}  // namespace steno
