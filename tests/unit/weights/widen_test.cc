#include "weights/widen.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "unit/weights/model_files.h"

namespace steno::weights {
namespace {

template <typename T>
std::vector<float> widened(DType dtype, const std::vector<T>& values) {
  std::vector<float> out(values.size());
  widen(dtype, std::as_bytes(std::span(values)).data(), values.size(), out.data());
  return out;
}

std::vector<std::uint16_t> all_16_bit_patterns() {
  std::vector<std::uint16_t> patterns(65536);
  for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<std::uint16_t>(i);
  return patterns;
}

// Subnormals, infinities and every NaN included: the bits must agree.
TEST(Widen, EveryF16AgreesWithTheScalarConversion) {
  const std::vector<std::uint16_t> patterns = all_16_bit_patterns();
  const std::vector<float> out = widened(DType::kF16, patterns);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]),
              std::bit_cast<std::uint32_t>(f16_to_f32(patterns[i])))
        << "pattern " << i;
  }
}

TEST(Widen, F16KnownValues) {
  const std::vector<std::uint16_t> bits = {0x0001, 0x03ff, 0x0400, 0x3c00, 0x7bff, 0xfc00, 0x8000};
  const std::vector<float> out = widened(DType::kF16, bits);
  EXPECT_EQ(out[0], std::ldexp(1.0f, -24));
  EXPECT_EQ(out[1], std::ldexp(1023.0f, -24));
  EXPECT_EQ(out[2], std::ldexp(1.0f, -14));
  EXPECT_EQ(out[3], 1.0f);
  EXPECT_EQ(out[4], 65504.0f);
  EXPECT_EQ(out[5], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(out[6] == 0.0f && std::signbit(out[6]));
}

TEST(Widen, EveryBf16AgreesWithTheScalarConversion) {
  const std::vector<std::uint16_t> patterns = all_16_bit_patterns();
  const std::vector<float> out = widened(DType::kBF16, patterns);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]),
              std::bit_cast<std::uint32_t>(bf16_to_f32(patterns[i])));
  }
}

TEST(Widen, Integers) {
  EXPECT_EQ(widened<std::int8_t>(DType::kI8, {-128, 0, 127}), (std::vector<float>{-128, 0, 127}));
  EXPECT_EQ(widened<std::uint8_t>(DType::kU8, {0, 255}), (std::vector<float>{0, 255}));
  EXPECT_EQ(widened<std::int16_t>(DType::kI16, {-32768, 32767}),
            (std::vector<float>{-32768, 32767}));
  EXPECT_EQ(widened<std::int32_t>(DType::kI32, {-7, 1 << 24}), (std::vector<float>{-7, 16777216}));
  EXPECT_EQ(widened<std::int64_t>(DType::kI64, {-7, std::int64_t{1} << 40}),
            (std::vector<float>{-7, 1099511627776.0f}));
}

TEST(Widen, TakesAnyAlignmentAndNoElements) {
  const std::string bytes = "x" + bytes_of<float>({1.5f, -2.5f});
  std::vector<float> out(2);
  widen(DType::kF32, std::as_bytes(std::span(bytes)).data() + 1, 2, out.data());
  EXPECT_EQ(out, (std::vector<float>{1.5f, -2.5f}));
  widen(DType::kF32, nullptr, 0, nullptr);
}

}  // namespace
}  // namespace steno::weights
