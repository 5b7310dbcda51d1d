#include "tensor/arena.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

namespace steno {
namespace {

TEST(ArenaTest, TensorsAreAlignedAndApart) {
  Arena arena;
  std::vector<Tensor> taken;
  for (int i = 0; i < 100; ++i) {
    taken.push_back(arena.take({i, 3}));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.back().raw()) % 64, 0U);
    std::memset(taken.back().raw(), i, taken.back().size_bytes());
  }
  for (int i = 0; i < 100; ++i) {
    const auto* bytes = static_cast<const unsigned char*>(taken[i].raw());
    for (std::size_t b = 0; b < taken[i].size_bytes(); ++b) ASSERT_EQ(bytes[b], i);
  }
}

TEST(ArenaTest, AStepLikeTheLastAllocatesNothing) {
  Arena arena;
  std::size_t capacity = 0;
  for (int step = 0; step < 5; ++step) {
    arena.reset();
    std::vector<Tensor> taken;
    for (int i = 0; i < 20; ++i) taken.push_back(arena.take({1000, 300}));
    if (step == 1) capacity = arena.capacity_bytes();
  }
  EXPECT_EQ(arena.capacity_bytes(), capacity);
}

TEST(ArenaTest, TakesOtherTypesAndNothing) {
  Arena arena;
  EXPECT_EQ(arena.take({7}, DType::kBF16).size_bytes(), 14U);
  EXPECT_FALSE(arena.take({0, 9}).empty());
}

}  // namespace
}  // namespace steno
