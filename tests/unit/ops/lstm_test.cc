// lstm on every instruction set against f64.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/cpu/cpu_ops.h"
#include "unit/ops/oracle.h"

namespace steno::ops {
namespace {

using oracle::Values;
using oracle::values_of;

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

// One sequence: gates [T, 4D], w [4D, D], state h and c [D] -> h after each step [T, D].
Values naive_lstm(const Values& gates, const Values& w, Values& h, Values& c) {
  const std::int64_t d = std::ssize(h);
  Values out;
  for (std::int64_t t = 0; t < std::ssize(gates) / (4 * d); ++t) {
    Values sums(gates.begin() + t * 4 * d, gates.begin() + (t + 1) * 4 * d);
    for (std::int64_t row = 0; row < 4 * d; ++row) {
      for (std::int64_t i = 0; i < d; ++i) sums[row] += w[row * d + i] * h[i];
    }
    for (std::int64_t i = 0; i < d; ++i) {
      c[i] = sigmoid(sums[d + i]) * c[i] + sigmoid(sums[i]) * std::tanh(sums[2 * d + i]);
      h[i] = sigmoid(sums[3 * d + i]) * std::tanh(c[i]);
    }
    out.insert(out.end(), h.begin(), h.end());
  }
  return out;
}

class LstmTest : public testing::TestWithParam<cpu::IsaChoice> {
 protected:
  Weight pack(const Tensor& w) { return ops_.pack(w, {}, ComputeType::kF32); }

  cpu::CpuOps ops_{GetParam(), 2};
};

struct Size {
  std::int64_t batch, steps, cells;
};

TEST_P(LstmTest, IsTheRecurrenceInF64) {
  for (const Size& s : {Size{1, 1, 1}, Size{1, 40, 128}, Size{3, 9, 5}, Size{7, 4, 17},
                        Size{2, 0, 8}, Size{13, 3, 33}}) {
    const Tensor gates = oracle::random({s.batch, s.steps, 4 * s.cells}, 1, 2.0F);
    const Tensor w =
        oracle::random({4 * s.cells, s.cells}, 2, 1.0F / std::sqrt(static_cast<float>(s.cells)));
    LstmState state{oracle::random({s.batch, s.cells}, 3, 0.5F),
                    oracle::random({s.batch, s.cells}, 4)};
    const Values h0 = values_of(state.h), c0 = values_of(state.c);
    const Tensor result = ops_.lstm(gates, pack(w), state);
    ASSERT_EQ(result.shape(), Shape({s.batch, s.steps, s.cells}));
    for (std::int64_t b = 0; b < s.batch; ++b) {
      Values h(h0.begin() + b * s.cells, h0.begin() + (b + 1) * s.cells);
      Values c(c0.begin() + b * s.cells, c0.begin() + (b + 1) * s.cells);
      const Values expected = naive_lstm(values_of(gates.slice(b, b + 1)), values_of(w), h, c);
      // A step adds rounding errors of the sums (of size up to 10, eps 1.2e-7) and of the gates
      // (2e-7), and the forget gates, below 1, let older ones fade.
      EXPECT_LE(oracle::distance(result.slice(b, b + 1), expected), 1e-5);
      EXPECT_LE(oracle::distance(state.h.slice(b, b + 1), h), 1e-5);
      EXPECT_LE(oracle::distance(state.c.slice(b, b + 1), c), 2e-5);
    }
  }
}

TEST_P(LstmTest, AStepAtATimeIsTheSameBits) {
  const Tensor gates = oracle::random({1, 20, 4 * 24}, 5);
  const Weight w = pack(oracle::random({4 * 24, 24}, 6, 0.3F));
  LstmState whole{Tensor::zeros({1, 24}), Tensor::zeros({1, 24})};
  LstmState parts{Tensor::zeros({1, 24}), Tensor::zeros({1, 24})};
  const Values expected = values_of(ops_.lstm(gates, w, whole));
  const Tensor steps = gates.reshaped({20, 4 * 24});
  for (std::int64_t t = 0; t < 20; ++t) {
    const Tensor h = ops_.lstm(steps.slice(t, t + 1).reshaped({1, 1, 4 * 24}), w, parts);
    EXPECT_EQ(values_of(h), Values(expected.begin() + t * 24, expected.begin() + (t + 1) * 24));
  }
  EXPECT_EQ(values_of(parts.c), values_of(whole.c));
}

// Saturated gates: exactly open or shut, never NaN.
TEST_P(LstmTest, HugeGatesSaturate) {
  Tensor gates = Tensor::make({1, 1, 8});
  const float values[] = {1e30F, -1e30F, -1e30F, 1e30F, 1e30F, -1e30F, 1e30F, 1e30F};
  std::copy_n(values, 8, gates.data<float>());
  LstmState state{Tensor::zeros({1, 2}), Tensor::zeros({1, 2})};
  state.c.data<float>()[0] = 5;
  state.c.data<float>()[1] = 0.5F;
  const Tensor h = ops_.lstm(gates, pack(Tensor::zeros({8, 2})), state);
  EXPECT_EQ(values_of(state.c), (Values{1, 0.5}));
  EXPECT_LE(oracle::distance(h, {std::tanh(1.0), std::tanh(0.5)}), 3e-7);
}

TEST_P(LstmTest, WrongShapesAreRefused) {
  const Tensor gates = Tensor::zeros({1, 2, 16});
  const Tensor w = Tensor::zeros({16, 4});
  LstmState state{Tensor::zeros({1, 4}), Tensor::zeros({1, 4})};
  LstmState two{Tensor::zeros({2, 4}), Tensor::zeros({2, 4})};
  EXPECT_NO_THROW(ops_.lstm(gates, pack(w), state));
  EXPECT_ANY_THROW(ops_.lstm(gates, pack(w), two));
  EXPECT_ANY_THROW(ops_.lstm(gates, pack(Tensor::zeros({16, 5})), state));
  EXPECT_ANY_THROW(ops_.lstm(gates, ops_.pack(w, {}, ComputeType::kInt8), state));
  EXPECT_ANY_THROW(ops_.lstm(Tensor::zeros({1, 2, 15}), pack(w), state));
}

INSTANTIATE_TEST_SUITE_P(Isa, LstmTest, oracle::each_isa(), oracle::isa_name);

}  // namespace
}  // namespace steno::ops
