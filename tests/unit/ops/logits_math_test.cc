#include "ops/logits_math.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace steno::ops {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kNan = std::nanf("");

std::vector<float> random_row(int size, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0.0F, 4.0F);
  std::vector<float> x(size);
  for (float& v : x) v = normal(generator);
  return x;
}

TEST(LogSumExpTest, IsTheLogarithmOfTheSum) {
  for (const int size : {1, 2, 15, 16, 17, 100, 51865}) {
    const std::vector<float> x = random_row(size, 1);
    double sum = 0;
    for (const float v : x) sum += std::exp(static_cast<double>(v));
    EXPECT_NEAR(log_sum_exp(x), std::log(sum), 2e-6 * (1 + std::abs(std::log(sum)))) << size;
  }
}

TEST(LogSumExpTest, MaskedValuesCountNothing) {
  EXPECT_EQ(log_sum_exp({}), -kInfinity);
  EXPECT_EQ(log_sum_exp(std::vector<float>(100, -kInfinity)), -kInfinity);
  std::vector<float> x(100, -kInfinity);
  x[37] = 1000.0F;  // exp of it alone would overflow
  EXPECT_EQ(log_sum_exp(x), 1000.0F);
  x[38] = 1000.0F;
  EXPECT_NEAR(log_sum_exp(x), 1000.0 + std::log(2.0), 1e-4);
}

TEST(LogSumExpTest, InfinityAndNanShow) {
  EXPECT_EQ(log_sum_exp(std::vector<float>{1.0F, kInfinity}), kInfinity);
  EXPECT_TRUE(std::isnan(log_sum_exp(std::vector<float>{1.0F, kNan})));
}

TEST(ArgmaxTest, FirstOfEquals) {
  EXPECT_EQ(argmax({}), -1);
  for (const int size : {1, 63, 64, 65, 51865}) {
    std::vector<float> x = random_row(size, 2);
    x[size / 2] = 50.0F;
    x[size - 1] = 50.0F;
    EXPECT_EQ(argmax(x), size / 2);
  }
}

TEST(ArgmaxTest, SpecialValues) {
  EXPECT_EQ(argmax(std::vector<float>{-kInfinity, -kInfinity}), 0);
  EXPECT_EQ(argmax(std::vector<float>{kNan, kNan}), 0);
  EXPECT_EQ(argmax(std::vector<float>{kNan, -5.0F, kNan}), 1);
  EXPECT_EQ(argmax(std::vector<float>{0.0F, kInfinity, kInfinity}), 1);
  EXPECT_EQ(argmax(std::vector<float>{-1.0F, -0.0F, 0.0F}), 1);
  EXPECT_EQ(argmax(std::vector<float>{-std::numeric_limits<float>::max(), -kInfinity}), 0);
}

TEST(TopKTest, EqualsAStableSort) {
  for (const int size : {1, 7, 64, 65, 1000}) {
    std::vector<float> x = random_row(size, 3);
    for (float& v : x) v = std::round(v);  // many ties
    std::vector<int> order(size);
    for (int i = 0; i < size; ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return x[a] > x[b]; });
    for (const int k : {0, 1, 5, 64, 2000}) {
      const std::vector<Scored> best = top_k(x, k);
      ASSERT_EQ(std::ssize(best), std::min(k, size));
      for (std::size_t i = 0; i < best.size(); ++i) {
        ASSERT_EQ(best[i].index, order[i]) << size << " " << k;
        ASSERT_EQ(best[i].value, x[order[i]]);
      }
    }
  }
}

TEST(TopKTest, MaskedAndMissing) {
  EXPECT_TRUE(top_k({}, 5).empty());
  EXPECT_TRUE(top_k(std::vector<float>{1.0F}, -1).empty());
  const std::vector<Scored> best = top_k(std::vector<float>{-kInfinity, kNan, 3.0F, -kInfinity}, 3);
  ASSERT_EQ(best.size(), 3U);
  EXPECT_EQ(best[0].index, 2);
  EXPECT_EQ(best[1].index, 0);
  EXPECT_EQ(best[2].index, 1);
  EXPECT_EQ(best[2].value, -kInfinity);
}

TEST(TopKTest, RisingValuesEnterOneByOne) {
  std::vector<float> x(5000);
  for (int i = 0; i < 5000; ++i) x[i] = static_cast<float>(i);
  const std::vector<Scored> best = top_k(x, 3);
  EXPECT_EQ(best[0].index, 4999);
  EXPECT_EQ(best[2].index, 4997);
}

}  // namespace
}  // namespace steno::ops
