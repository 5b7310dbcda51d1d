#include "tensor/dtype.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

namespace steno {
namespace {

TEST(DTypeTest, SizesAndNames) {
  EXPECT_EQ(size_bytes(DType::kF32), 4U);
  EXPECT_EQ(size_bytes(DType::kBF16), 2U);
  EXPECT_EQ(size_bytes(DType::kI8), 1U);
  EXPECT_EQ(size_bytes(DType::kI64), 8U);
  EXPECT_EQ(name(DType::kF16), "f16");
}

TEST(DTypeTest, Halves) {
  EXPECT_EQ(f16_to_f32(0x3c00), 1.0F);
  EXPECT_EQ(f16_to_f32(0xc000), -2.0F);
  EXPECT_EQ(f16_to_f32(0x7bff), 65504.0F);
  EXPECT_EQ(f16_to_f32(0x0001), std::ldexp(1.0F, -24));     // the smallest subnormal
  EXPECT_EQ(f16_to_f32(0x03ff), std::ldexp(1023.0F, -24));  // the largest
  EXPECT_EQ(f16_to_f32(0x0400), std::ldexp(1.0F, -14));     // the smallest normal
  EXPECT_TRUE(std::signbit(f16_to_f32(0x8000)));
  EXPECT_EQ(f16_to_f32(0x7c00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(f16_to_f32(0x7c01)));
}

TEST(DTypeTest, Bfloat16RoundsToNearestEven) {
  EXPECT_EQ(f32_to_bf16(1.0F), 0x3f80);
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f808000U)), 0x3f80);  // ties go to the even one
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f818000U)), 0x3f82);
  EXPECT_EQ(f32_to_bf16(std::bit_cast<float>(0x3f808001U)), 0x3f81);
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7f80);  // infinity is the nearest
  EXPECT_EQ(f32_to_bf16(-std::numeric_limits<float>::infinity()), 0xff80);
}

TEST(DTypeTest, Bfloat16KeepsNanAndComesBack) {
  // A NaN whose payload lies in the dropped bits must not become infinity.
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7f800001U)))));
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0xffffffffU)))));
  for (std::uint32_t i = 0; i < 65536; ++i) {
    const auto half = static_cast<std::uint16_t>(i);
    if (std::isnan(bf16_to_f32(half))) continue;
    ASSERT_EQ(f32_to_bf16(bf16_to_f32(half)), half);
  }
}

}  // namespace
}  // namespace steno
