// The row kernels on every instruction set: all sizes around the widths of the vectors, pointers
// that are aligned to nothing, and the values that are special.
#include "ops/cpu/kernels.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

#include "tensor/dtype.h"
#include "unit/ops/oracle.h"

namespace steno::ops {
namespace {

using oracle::Values;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kMaxSize = 2 * 64 + 1;  // twice what the widest loop takes at once, and one

// Values at an address that is a multiple of 4 but of nothing more, with a guard behind them.
class Row {
 public:
  explicit Row(std::int64_t size, unsigned seed = 1, float deviation = 2.0F)
      : values_(size + 2, kGuard) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal(0.0F, deviation);
    for (std::int64_t i = 0; i < size; ++i) data()[i] = normal(generator);
  }
  float* data() { return values_.data() + 1; }
  std::int64_t size() const { return std::ssize(values_) - 2; }
  float operator[](std::int64_t i) const { return values_[i + 1]; }
  bool guards_hold() const { return values_.front() == kGuard && values_.back() == kGuard; }

 private:
  static constexpr float kGuard = 12345.0F;
  std::vector<float> values_;
};

class KernelsTest : public testing::TestWithParam<cpu::IsaChoice> {
 protected:
  const cpu::Kernels kernels_ = cpu::make_kernels(GetParam());
};

TEST_P(KernelsTest, GeluIsTheErfForm) {
  for (std::int64_t n = 0; n <= kMaxSize; ++n) {
    Row x(n);
    Row out(n);
    kernels_.gelu(x.data(), n, out.data());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_NEAR(out[i], oracle::gelu(x[i]), 1e-6);
    ASSERT_TRUE(out.guards_hold());
  }
}

TEST_P(KernelsTest, GeluEverywhere) {
  // 3e-7 of erf, times x / 2, and the rounding of x itself; where erf is 1 the result is x.
  for (double x = -12; x <= 12; x += 1.0 / 512) {
    const auto in = static_cast<float>(x);
    float out = 0;
    kernels_.gelu(&in, 1, &out);
    ASSERT_NEAR(out, oracle::gelu(x), 1e-6) << x;
  }
  const float special[] = {-kInfinity, kInfinity, std::nanf("")};
  float out[3];
  kernels_.gelu(special, 3, out);
  EXPECT_EQ(out[1], kInfinity);
  EXPECT_TRUE(std::isnan(out[2]));
}

TEST_P(KernelsTest, LayerNormHasMeanAndDeviation) {
  for (std::int64_t n = 1; n <= kMaxSize; ++n) {
    Row x(n);
    Row gamma(n, 2);
    Row beta(n, 3);
    Row out(n);
    kernels_.layer_norm(x.data(), gamma.data(), beta.data(), 1e-5F, n, out.data());
    double mean = 0;
    double variance = 0;
    for (std::int64_t i = 0; i < n; ++i) mean += x[i] / static_cast<double>(n);
    for (std::int64_t i = 0; i < n; ++i)
      variance += (x[i] - mean) * (x[i] - mean) / static_cast<double>(n);
    for (std::int64_t i = 0; i < n; ++i) {
      const double expected = (x[i] - mean) / std::sqrt(variance + 1e-5) * gamma[i] + beta[i];
      // The mean's error, n eps |x|, over a deviation that may be small when n is.
      ASSERT_NEAR(out[i], expected, 100 * oracle::kEps * (1 + 1 / std::sqrt(variance + 1e-5))) << n;
    }
    ASSERT_TRUE(out.guards_hold());
  }
}

TEST_P(KernelsTest, LayerNormOfALargeOffsetKeepsTheSmallDifferences) {
  Row x(512, 4, 0.01F);
  for (std::int64_t i = 0; i < 512; ++i) x.data()[i] += 100;
  Row ones(512);
  Row zeros(512);
  std::fill_n(ones.data(), 512, 1.0F);
  std::fill_n(zeros.data(), 512, 0.0F);
  Row out(512);
  kernels_.layer_norm(x.data(), ones.data(), zeros.data(), 1e-5F, 512, out.data());
  double square = 0;
  for (std::int64_t i = 0; i < 512; ++i) square += out[i] * out[i] / 512;
  EXPECT_NEAR(square, 1e-4 / (1e-4 + 1e-5),
              0.1);  // one-pass variance in f32 would be off by all of it
}

TEST_P(KernelsTest, AddMultiplyAndScale) {
  for (std::int64_t n = 0; n <= kMaxSize; ++n) {
    Row a(n, 1);
    Row b(n, 2);
    Row out(n);
    kernels_.add(a.data(), b.data(), n, out.data());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], a[i] + b[i]);
    kernels_.multiply(a.data(), b.data(), n, out.data());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], a[i] * b[i]);
    kernels_.scale(a.data(), 1.7F, n, out.data());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], a[i] * 1.7F);
    ASSERT_TRUE(out.guards_hold());
  }
}

TEST_P(KernelsTest, ExpRowIsTheSoftmaxBeforeItsDivision) {
  for (std::int64_t n = 1; n <= kMaxSize; ++n) {
    Row x(n, 5, 10.0F);
    Row out = x;
    const float sum = kernels_.exp_row(0.5F, n, out.data());
    double max = -1e30;
    double expected_sum = 0;
    for (std::int64_t i = 0; i < n; ++i) max = std::max<double>(max, x[i]);
    for (std::int64_t i = 0; i < n; ++i) {
      const double expected = std::exp(0.5 * (x[i] - max));
      expected_sum += expected;
      // 2 ulp of exp and the rounding of an argument of up to 40.
      ASSERT_NEAR(out[i], expected, 60 * oracle::kEps * expected + 1e-37);
    }
    ASSERT_NEAR(sum, expected_sum, 100 * oracle::kEps * expected_sum);
    ASSERT_TRUE(out.guards_hold());
  }
}

TEST_P(KernelsTest, ExpOfWhatIsSpecial) {
  float x[] = {0.0F, -kInfinity, -200.0F, -87.0F, -1e-30F};
  kernels_.exp_row(1.0F, 5, x);
  EXPECT_EQ(x[0], 1.0F);
  EXPECT_EQ(x[1], 0.0F);
  EXPECT_EQ(x[2], 0.0F);
  EXPECT_NEAR(x[3], std::exp(-87.0F), 1e-43);
  EXPECT_EQ(x[4], 1.0F);
  float with_nan[20] = {};
  with_nan[17] = std::nanf("");
  EXPECT_TRUE(std::isnan(kernels_.exp_row(1.0F, 20, with_nan)));
}

TEST_P(KernelsTest, MaxAndFindAbove) {
  for (std::int64_t n = 0; n <= kMaxSize; ++n) {
    Row x(n, 6);
    for (std::int64_t at = 0; at < n; ++at) {
      Row y = x;
      y.data()[at] = 100.0F + static_cast<float>(at);
      ASSERT_EQ(kernels_.max(y.data(), n), 100.0F + static_cast<float>(at));
      ASSERT_EQ(kernels_.find_above(y.data(), 99.0F, n), at);
    }
    ASSERT_EQ(kernels_.find_above(x.data(), 99.0F, n), n);
  }
  const float x[] = {std::nanf(""), -3.0F, std::nanf("")};
  EXPECT_EQ(kernels_.max(x, 3), -3.0F);
  EXPECT_EQ(kernels_.max(x, 1), -kInfinity);
}

TEST_P(KernelsTest, EveryHalfAndEveryBfloat16) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  std::vector<float> f16(all.size());
  std::vector<float> bf16(all.size());
  kernels_.widen_f16(all.data(), std::ssize(all), f16.data());
  kernels_.widen_bf16(all.data(), std::ssize(all), bf16.data());
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(std::bit_cast<std::uint32_t>(f16[i]),
              std::bit_cast<std::uint32_t>(f16_to_f32(all[i])))
        << i;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(bf16[i]),
              std::bit_cast<std::uint32_t>(bf16_to_f32(all[i])));
  }
}

TEST_P(KernelsTest, NarrowsToBfloat16AsTheScalarDoes) {
  for (std::int64_t n = 0; n <= kMaxSize; ++n) {
    Row x(n, 7);
    if (n > 3) x.data()[n - 1] = std::nanf("");
    if (n > 3) x.data()[n - 2] = kInfinity;
    if (n > 3) x.data()[n - 3] = std::bit_cast<float>(0x3f808000U);  // a tie
    std::vector<std::uint16_t> out(n + 1, 0xabcd);
    kernels_.narrow_bf16(x.data(), n, out.data());
    for (std::int64_t i = 0; i < n; ++i) ASSERT_EQ(out[i], f32_to_bf16(x[i]));
    ASSERT_EQ(out[n], 0xabcd);
  }
}

TEST_P(KernelsTest, Int8OperandsRoundToNearestEven) {
  const cpu::Product& product = kernels_.int8;
  for (std::int64_t n = 1; n <= kMaxSize; ++n) {
    Row x(n, 8);
    x.data()[0] = -127.0F;  // with 127 the scale is 1, alone for a symmetric one only
    if (n > 1) x.data()[n - 1] = 127.0F;
    if (n > 3) x.data()[1] = 2.5F;
    if (n > 3) x.data()[2] = -3.5F;
    for (std::int64_t i = 3; i + 1 < n; ++i) x.data()[i] = std::clamp(x[i], -127.0F, 127.0F);
    const std::int64_t padded = (n + product.k_group - 1) / product.k_group * product.k_group;
    std::vector<std::uint8_t> out((padded + 1) * product.a_bytes, 0x5a);
    const cpu::RowForm form = product.prepare_row(x.data(), n, out.data());
    if (n > 1) {
      EXPECT_EQ(form.factor, 1.0F);
    }
    for (std::int64_t i = 0; i < n; ++i) {
      std::int16_t q = 0;
      std::memcpy(&q, out.data() + i * product.a_bytes, product.a_bytes);
      ASSERT_NEAR(form.factor * static_cast<float>(q - form.zero), std::nearbyint(x[i]), 1e-4)
          << i << " of " << n;
    }
    ASSERT_EQ(out.back(), 0x5a);
  }
}

TEST_P(KernelsTest, QuantisesToTheNearestOf255Values) {
  for (std::int64_t n = 1; n <= kMaxSize; ++n) {
    Row x(n, 9);
    x.data()[n / 2] = 12.7F;  // a factor of 0.1
    std::vector<std::int8_t> out(n + 1, 0x5a);
    const auto [factor, sum] = kernels_.quantise_int8(x.data(), n, out.data());
    ASSERT_NEAR(factor, 0.1, 0.1 * oracle::kEps);
    ASSERT_EQ(out[n / 2], 127);
    ASSERT_EQ(sum, std::accumulate(out.begin(), out.end() - 1, 0));
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_NEAR(factor * out[i], x[i], factor * (0.5 + 127 * oracle::kEps)) << i << " of " << n;
    }
    ASSERT_EQ(out[n], 0x5a);
  }
  const float zeros[3] = {0.0F, -0.0F, 0.0F};
  std::int8_t out[3] = {1, 1, 1};
  EXPECT_EQ(kernels_.quantise_int8(zeros, 3, out).factor, 0.0F);
  for (const std::int8_t q : out) EXPECT_EQ(q, 0);
  const float ties[4] = {-127.0F, 2.5F, -3.5F, 0.5F};
  std::int8_t rounded[4];
  EXPECT_EQ(kernels_.quantise_int8(ties, 4, rounded).factor, 1.0F);
  EXPECT_EQ(rounded[0], -127);
  EXPECT_EQ(rounded[1], 2);
  EXPECT_EQ(rounded[2], -4);
  EXPECT_EQ(rounded[3], 0);
}

INSTANTIATE_TEST_SUITE_P(Isa, KernelsTest, oracle::each_isa(), oracle::isa_name);

}  // namespace
}  // namespace steno::ops
