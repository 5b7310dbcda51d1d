// stft_magnitude on every instruction set against the transform's definition in f64.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "ops/cpu/cpu_ops.h"
#include "unit/ops/oracle.h"

namespace steno::ops {
namespace {

using oracle::Values;
using oracle::values_of;

Values naive_magnitudes(const float* frame, const float* window, std::int64_t size) {
  Values out;
  for (std::int64_t k = 0; k <= size / 2; ++k) {
    std::complex<double> sum = 0;
    for (std::int64_t n = 0; n < size; ++n) {
      const double angle =
          -2 * std::numbers::pi * static_cast<double>(k * n % size) / static_cast<double>(size);
      sum += double{frame[n]} * window[n] * std::polar(1.0, angle);
    }
    out.push_back(std::abs(sum));
  }
  return out;
}

class StftTest : public testing::TestWithParam<cpu::IsaChoice> {
 protected:
  cpu::CpuOps ops_{GetParam(), 2};
};

struct Case {
  std::int64_t batch, samples, frame;
  int hop;
};

// Batches below, at and above the lanes of a group (4, 8, 16), and more than one piece of groups.
TEST_P(StftTest, IsTheTransformInF64) {
  for (const Case& c : {Case{1, 4, 4, 1}, Case{1, 8, 8, 3}, Case{3, 640, 256, 128},
                        Case{1, 1000, 64, 7}, Case{17, 300, 128, 50}, Case{2, 2100, 1024, 1000}}) {
    const Tensor x = oracle::random({c.batch, c.samples}, 1);
    const Tensor window = oracle::random({c.frame}, 2);
    const Tensor result = ops_.stft_magnitude(x, window, c.hop);
    const std::int64_t num_frames = (c.samples - c.frame) / c.hop + 1;
    ASSERT_EQ(result.shape(), Shape({c.batch, num_frames, c.frame / 2 + 1}));
    Values expected;
    for (std::int64_t row = 0; row < c.batch * num_frames; ++row) {
      const float* frame =
          x.data<float>() + row / num_frames * c.samples + row % num_frames * c.hop;
      const Values values = naive_magnitudes(frame, window.data<float>(), c.frame);
      expected.insert(expected.end(), values.begin(), values.end());
    }
    // log2(N) passes, each rounds values no larger than the frame's norm times sqrt(N).
    const double norm = std::sqrt(static_cast<double>(c.frame)) * 3;
    const double passes = std::log2(static_cast<double>(c.frame)) + 2;
    EXPECT_LE(oracle::distance(result, expected),
              passes * oracle::kEps * norm * std::sqrt(static_cast<double>(c.frame)));
  }
}

TEST_P(StftTest, NeighboursAndThreadsChangeNoBit) {
  const Tensor x = oracle::random({200, 640}, 3);
  const Tensor window = oracle::random({256}, 4);
  const Tensor all = ops_.stft_magnitude(x, window, 128);
  cpu::CpuOps alone(GetParam(), 1);
  EXPECT_EQ(values_of(alone.stft_magnitude(x, window, 128)), values_of(all));
  EXPECT_EQ(values_of(ops_.stft_magnitude(x.slice(7, 8), window, 128)), values_of(all.slice(7, 8)));
}

TEST_P(StftTest, NanShowsInItsFrameAlone) {
  Tensor x = oracle::random({3, 16}, 5);
  x.data<float>()[20] = std::nanf("");
  const Tensor result = ops_.stft_magnitude(x, oracle::random({16}, 6), 1);
  for (int i = 0; i < 27; ++i) EXPECT_EQ(std::isnan(result.data<float>()[i]), i / 9 == 1) << i;
}

TEST_P(StftTest, WrongSizesAreRefused) {
  const Tensor x = Tensor::zeros({2, 64});
  EXPECT_ANY_THROW(ops_.stft_magnitude(x, Tensor::zeros({48}), 8));
  EXPECT_ANY_THROW(ops_.stft_magnitude(x, Tensor::zeros({2}), 8));
  EXPECT_ANY_THROW(ops_.stft_magnitude(x, Tensor::zeros({128}), 8));
  EXPECT_ANY_THROW(ops_.stft_magnitude(x, Tensor::zeros({32}), 0));
}

INSTANTIATE_TEST_SUITE_P(Isa, StftTest, oracle::each_isa(), oracle::isa_name);

}  // namespace
}  // namespace steno::ops
