// linear and conv1d: every compute type on every instruction set against f64.
#include <gtest/gtest.h>

#include "ops/cpu/cpu_ops.h"
#include "unit/ops/oracle.h"

namespace steno::ops {
namespace {

using oracle::Values;
using oracle::values_of;

struct Size {
  std::int64_t m, k, n;
};

// Around the rows of a tile (6, 48), the widths of the panels (8, 16, 64), the groups of k (2, 4),
// and the block of k.
constexpr Size kSizes[] = {{1, 1, 1},     {1, 512, 64},  {5, 64, 65},   {6, 3, 8},
                           {7, 17, 63},   {13, 66, 16},  {48, 128, 64}, {49, 130, 129},
                           {2, 1025, 31}, {100, 80, 192}};

class LinearTest : public testing::TestWithParam<cpu::IsaChoice> {
 protected:
  cpu::CpuOps ops_{GetParam(), 2};
};

// |error| of a sum of k products in f32 <= k * eps * |x| |w|, far more than rounding errors that do
// not conspire.
double sum_tolerance(std::int64_t k, double x_norm, double w_norm) {
  return static_cast<double>(k) * oracle::kEps * x_norm * w_norm + 1e-6;
}

double largest_row_norm(const Values& x, std::int64_t k) {
  double largest = 0;
  for (std::size_t r = 0; r < x.size(); r += k) {
    largest = std::max(largest, oracle::norm(std::span(x).subspan(r, k)));
  }
  return largest;
}

Values rounded(Values x) {
  for (double& v : x) v = oracle::round_to_bf16(v);
  return x;
}

TEST_P(LinearTest, IsTheProductOfTheOperandsInTheirType) {
  for (const Size& s : kSizes) {
    const Tensor x = oracle::random({s.m, s.k}, 1);
    const Tensor w = oracle::random({s.n, s.k}, 2, 0.3F);
    const Tensor bias = oracle::random({s.n}, 3);
    for (const ComputeType type : {ComputeType::kF32, ComputeType::kBF16, ComputeType::kInt8}) {
      Values x_seen = values_of(x);
      Values w_seen = values_of(w);
      if (type == ComputeType::kBF16) {
        x_seen = rounded(x_seen);
        w_seen = rounded(w_seen);
      } else if (type == ComputeType::kInt8) {
        x_seen = oracle::quantised_activations(x_seen, s.k, GetParam());
        w_seen = oracle::quantised(w_seen, s.k);
      }
      const Values expected = oracle::linear(x_seen, w_seen, values_of(bias), s.k);
      const Tensor result = ops_.linear(x, ops_.pack(w, bias, type), {});
      EXPECT_EQ(result.shape(), (Shape{s.m, s.n}));
      // int8 sums are exact: what is left are three roundings of the result.
      const double exact =
          4 * oracle::kEps * largest_row_norm(x_seen, s.k) * largest_row_norm(w_seen, s.k);
      const double tolerance =
          type == ComputeType::kInt8
              ? exact + 1e-6
              : sum_tolerance(s.k, largest_row_norm(x_seen, s.k), largest_row_norm(w_seen, s.k));
      EXPECT_LE(oracle::distance(result, expected), tolerance)
          << name(type) << " " << s.m << "x" << s.k << "x" << s.n;
    }
  }
}

// The largest magnitudes that int8 has, all of one sign: where 16-bit sums would saturate.
TEST_P(LinearTest, Int8DoesNotSaturate) {
  const std::int64_t k = 2050;
  Tensor x = Tensor::make({2, k});
  Tensor w = Tensor::make({3, k});
  std::fill_n(x.data<float>(), 2 * k, 2.0F);
  std::fill_n(w.data<float>(), 3 * k, -0.5F);
  const Tensor result = ops_.linear(x, ops_.pack(w, {}, ComputeType::kInt8), {});
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(result.data<float>()[i], -2050.0, 2050 * 1e-6);
}

TEST_P(LinearTest, FusedFormsEqualTheirComposition) {
  const Tensor x = oracle::random({2, 25, 96}, 4);
  const Tensor residual = oracle::random({2, 25, 130}, 5);
  for (const ComputeType type : {ComputeType::kF32, ComputeType::kBF16, ComputeType::kInt8}) {
    const Weight w = ops_.pack(oracle::random({130, 96}, 6, 0.1F), oracle::random({130}, 7), type);
    const Tensor fused =
        ops_.linear(x, w, {.activation = Activation::kGelu, .residual = &residual});
    const Tensor composed = ops_.add(ops_.gelu(ops_.linear(x, w, {})), residual);
    // The same operations in the same order, but for fused multiply-adds: a few roundings of values
    // up to 8.
    EXPECT_LE(oracle::distance(fused, values_of(composed)), 8 * 4 * oracle::kEps) << name(type);
    const Tensor relu = ops_.linear(x, w, {.activation = Activation::kRelu, .residual = &residual});
    EXPECT_LE(
        oracle::distance(relu, values_of(ops_.add(ops_.relu(ops_.linear(x, w, {})), residual))),
        8 * 4 * oracle::kEps)
        << name(type);
  }
}

TEST_P(LinearTest, ThreadsAndNeighboursDoNotChangeABit) {
  const Tensor x = oracle::random({110, 300}, 8);
  const Tensor matrix = oracle::random({517, 300}, 9);
  for (const ComputeType type : {ComputeType::kF32, ComputeType::kBF16, ComputeType::kInt8}) {
    const Tensor expected = ops_.linear(x, ops_.pack(matrix, {}, type), {});
    for (const int num_threads : {1, 4}) {
      cpu::CpuOps other(GetParam(), num_threads);
      const Weight w = other.pack(matrix, {}, type);
      const Tensor result = other.linear(x, w, {});
      EXPECT_EQ(values_of(result), values_of(expected)) << num_threads << " " << name(type);
      const Tensor alone = other.linear(x.slice(100, 101), w, {});
      EXPECT_EQ(values_of(alone), values_of(expected.slice(100, 101))) << name(type);
    }
  }
}

TEST_P(LinearTest, FeedForwardBlockByBlockIsTheSameToTheBit) {
  const std::int64_t d = 72;
  const std::int64_t hidden = 205;
  const Tensor gamma = oracle::random({d}, 14);
  const Tensor beta = oracle::random({d}, 15);
  const Tensor up = oracle::random({hidden, d}, 16);
  const Tensor down = oracle::random({d, hidden}, 17);
  for (const ComputeType type : {ComputeType::kF32, ComputeType::kBF16, ComputeType::kInt8}) {
    for (const int num_threads : {1, 3}) {
      cpu::CpuOps ops(GetParam(), num_threads);
      const Weight fc1 = ops.pack(up, oracle::random({hidden}, 18), type);
      const Weight fc2 = ops.pack(down, oracle::random({d}, 19), type);
      const FeedForward w{.gamma = gamma,
                          .beta = beta,
                          .eps = 1e-5F,
                          .up = fc1,
                          .activation = Activation::kGelu,
                          .down = fc2};
      for (const std::int64_t rows :
           {0, 1, 7, 1000}) {  // too few for blocks; the last block is short
        const Tensor x = oracle::random({rows, d}, 20);
        EXPECT_EQ(values_of(ops.feed_forward(x, w)), values_of(ops.Ops::feed_forward(x, w)))
            << rows << " rows, " << num_threads << " threads, " << name(type);
      }
    }
  }
  const Weight narrow = ops_.pack(oracle::random({hidden, d + 1}, 21), {}, ComputeType::kF32);
  const Weight fc2 = ops_.pack(down, {}, ComputeType::kF32);
  const FeedForward wrong{.gamma = gamma,
                          .beta = beta,
                          .eps = 1e-5F,
                          .up = narrow,
                          .activation = Activation::kGelu,
                          .down = fc2};
  EXPECT_ANY_THROW(ops_.feed_forward(Tensor::zeros({1, d}), wrong));
}

TEST_P(LinearTest, TakesNoRowsAndRowsOfZeros) {
  for (const ComputeType type : {ComputeType::kF32, ComputeType::kBF16, ComputeType::kInt8}) {
    const Weight w = ops_.pack(oracle::random({10, 8}, 10), {}, type);
    EXPECT_EQ(ops_.linear(Tensor::zeros({0, 8}), w, {}).shape(), (Shape{0, 10}));
    EXPECT_EQ(values_of(ops_.linear(Tensor::zeros({2, 8}), w, {})), Values(20, 0.0));
  }
}

TEST_P(LinearTest, NanShowsInItsRowAlone) {
  Tensor x = oracle::random({3, 40}, 11);
  x.data<float>()[45] = std::nanf("");
  for (const ComputeType type : {ComputeType::kF32, ComputeType::kBF16, ComputeType::kInt8}) {
    const Tensor result = ops_.linear(x, ops_.pack(oracle::random({9, 40}, 12), {}, type), {});
    for (int i = 0; i < 27; ++i) {
      EXPECT_EQ(std::isnan(result.data<float>()[i]), i / 9 == 1) << name(type) << " " << i;
    }
  }
}

TEST_P(LinearTest, WrongShapesAreRefused) {
  const Weight w = ops_.pack(oracle::random({4, 8}, 13), {}, ComputeType::kF32);
  const Tensor x = Tensor::zeros({2, 8});
  const Tensor residual = Tensor::zeros({2, 5});
  EXPECT_ANY_THROW(ops_.linear(Tensor::zeros({2, 9}), w, {}));
  EXPECT_ANY_THROW(ops_.linear(x, w, {.residual = &residual}));
  EXPECT_ANY_THROW(ops_.linear(x, Weight(), {}));
}

struct Convolution {
  std::int64_t batch, frames, channels, outputs;
  int kernel, stride, padding;
};

TEST_P(LinearTest, ConvolutionIsTheSumOverItsTaps) {
  for (const Convolution& c :
       {Convolution{1, 10, 80, 64, 3, 1, 1}, Convolution{2, 101, 6, 5, 3, 2, 1},
        Convolution{1, 1, 4, 9, 3, 1, 1}, Convolution{3, 8, 2, 2, 4, 3, 0},
        Convolution{2, 5, 3, 70, 1, 1, 0}}) {
    const std::int64_t k = c.kernel * c.channels;
    const Tensor x = oracle::random({c.batch, c.frames, c.channels}, 14);
    const Tensor w = oracle::random({c.outputs, k}, 15, 0.2F);
    const Tensor bias = oracle::random({c.outputs}, 16);
    const std::int64_t out_frames = (c.frames + 2 * c.padding - c.kernel) / c.stride + 1;
    Values unfolded(c.batch * out_frames * k);
    for (std::int64_t row = 0; row < c.batch * out_frames; ++row) {
      for (std::int64_t tap = 0; tap < c.kernel; ++tap) {
        const std::int64_t frame = row % out_frames * c.stride + tap - c.padding;
        if (frame < 0 || frame >= c.frames) continue;
        const float* source = x.data<float>() + (row / out_frames * c.frames + frame) * c.channels;
        std::copy_n(source, c.channels, unfolded.begin() + row * k + tap * c.channels);
      }
    }
    const Tensor result =
        ops_.conv1d(x, ops_.pack(w, bias, ComputeType::kF32),
                    {.kernel = c.kernel, .stride = c.stride, .padding = c.padding});
    EXPECT_EQ(result.shape(), (Shape{c.batch, out_frames, c.outputs}));
    const Values expected = oracle::linear(unfolded, values_of(w), values_of(bias), k);
    EXPECT_LE(oracle::distance(result, expected),
              sum_tolerance(k, largest_row_norm(unfolded, k), largest_row_norm(values_of(w), k)));
  }
}

TEST_P(LinearTest, ConvolutionAppliesItsActivation) {
  const Tensor x = oracle::random({1, 12, 8}, 17);
  const Weight w =
      ops_.pack(oracle::random({16, 24}, 18), oracle::random({16}, 19), ComputeType::kInt8);
  const Tensor fused = ops_.conv1d(x, w, {.activation = Activation::kGelu});
  EXPECT_LE(oracle::distance(fused, values_of(ops_.gelu(ops_.conv1d(x, w, {})))),
            16 * oracle::kEps);
}

// Many short inputs go another way than one.
TEST_P(LinearTest, ConvolutionOfABatchIsThatOfEach) {
  const Tensor x = oracle::random({5, 4, 33}, 20);
  const Weight w =
      ops_.pack(oracle::random({70, 99}, 21), oracle::random({70}, 22), ComputeType::kF32);
  const Conv1dOptions options{.kernel = 3, .stride = 2, .padding = 2};
  const Tensor together = ops_.conv1d(x, w, options);
  for (std::int64_t b = 0; b < 5; ++b) {
    EXPECT_EQ(values_of(together.slice(b, b + 1)),
              values_of(ops_.conv1d(x.slice(b, b + 1), w, options)));
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, LinearTest, oracle::each_isa(), oracle::isa_name);

}  // namespace
}  // namespace steno::ops
