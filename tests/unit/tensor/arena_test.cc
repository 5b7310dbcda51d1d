#include "tensor/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

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

TEST(ArenaTest, WhatDiedIsHandedOutAgain) {
  Arena arena;
  for (int layer = 0; layer < 50; ++layer) {
    const Tensor a = arena.take({1000, 300});
    const Tensor b = arena.take({1000, 200});
    const Tensor c = arena.take({1000, 290});  // fits where an `a` was
  }
  EXPECT_LT(arena.capacity_bytes(), 1000U * 4 * (300 + 200 + 300) + 3 * 4096);
}

TEST(ArenaTest, ASmallTensorTakesNoLargeBlock) {
  Arena arena;
  { const Tensor large = arena.take({1 << 20}); }
  const Tensor small = arena.take({10});
  const Tensor large = arena.take({1 << 20});
  EXPECT_LT(arena.capacity_bytes(), (4U << 20) + 3 * 4096);
}

TEST(ArenaTest, SizesThatRiseAndFallShareTheLargest) {
  Arena arena;
  for (int i = 0; i < 40; ++i) {
    const std::int64_t rows = 600 + i * 397 % 500;  // windows of any length
    const Tensor a = arena.take({rows, 100});
    const Tensor b = arena.take({rows, 300});
  }
  EXPECT_LT(arena.capacity_bytes(), 1100U * 4 * (100 + 2 * 300) + 4 * 4096)
      << "forty sizes of each would be ten times as much";
}

TEST(ArenaTest, CopiesAndSlicesKeepTheMemory) {
  Arena arena;
  Tensor part;
  {
    Tensor whole = arena.take({4, 8});
    std::fill_n(whole.data<float>(), 32, 2.5F);
    part = whole.slice(1, 3).reshaped({16});
  }
  Tensor other = arena.take({4, 8});
  std::fill_n(other.data<float>(), 32, -1.0F);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(part.data<float>()[i], 2.5F);
}

TEST(ArenaTest, ATensorMayOutliveTheArena) {
  Tensor t;
  {
    Arena arena;
    t = arena.take({100});
  }
  std::fill_n(t.data<float>(), 100, 1.0F);
  EXPECT_EQ(t.data<float>()[99], 1.0F);
}

TEST(ArenaTest, TakesOtherTypesAndNothing) {
  Arena arena;
  EXPECT_EQ(arena.take({7}, DType::kBF16).size_bytes(), 14U);
  EXPECT_FALSE(arena.take({0, 9}).empty());
}

}  // namespace
}  // namespace steno
