// linear against oneDNN's matmul: somebody else's kernels, at the sizes of Whisper base.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "ops/cpu/cpu_ops.h"
#include "support/onednn_matmul.h"
#include "unit/ops/oracle.h"

namespace steno::ops {
namespace {

struct Size {
  std::int64_t m, k, n;
};
constexpr Size kSizes[] = {
    {1, 512, 1536}, {5, 512, 512}, {16, 2048, 512}, {150, 512, 2048}, {1, 512, 5186}};

class OneDnn : public testing::TestWithParam<cpu::IsaChoice> {
 protected:
  cpu::CpuOps backend_{GetParam(), 2};
  Ops& ops_ = backend_;
};

TEST_P(OneDnn, F32LinearAgrees) {
  for (const Size& s : kSizes) {
    const Tensor x = oracle::random({s.m, s.k}, 1);
    const Tensor w = oracle::random({s.n, s.k}, 2, 0.05F);
    const Tensor ours = ops_.linear(x, ops_.pack(w, {}, ComputeType::kF32));
    std::vector<float> theirs(static_cast<std::size_t>(s.m * s.n));
    test::OneDnnMatmul<float>(s.m, s.k, s.n, w.data<float>())
        .multiply(x.data<float>(), theirs.data());
    double difference = 0;
    double norm = 0;
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      difference += std::pow(double{ours.data<float>()[i]} - theirs[i], 2);
      norm += std::pow(double{theirs[i]}, 2);
    }
    // Two orders of adding K terms: about sqrt(K) roundings of 6e-8 each.
    EXPECT_LT(std::sqrt(difference / norm), 1e-6) << s.m << " x " << s.k << " x " << s.n;
  }
}

// Operands that are whole numbers up to 127 in each row are quantised without loss, so the sums
// must be oneDNN's.
TEST_P(OneDnn, Int8SumsAgreeExactly) {
  for (const Size& s : kSizes) {
    const auto integers = [](std::int64_t rows, std::int64_t size, unsigned seed) {
      std::vector<std::int8_t> values(static_cast<std::size_t>(rows * size));
      for (std::size_t i = 0; i < values.size(); ++i) {
        seed = seed * 1664525 + 1013904223;
        values[i] = static_cast<std::int8_t>(static_cast<int>(seed >> 24) % 255 - 127);
        // The scale of each row is 1.
        if (i % static_cast<std::size_t>(size) == 0) values[i] = 127;
        if (i % static_cast<std::size_t>(size) == 1) values[i] = -127;
      }
      return values;
    };
    const std::vector<std::int8_t> x = integers(s.m, s.k, 1);
    const std::vector<std::int8_t> w = integers(s.n, s.k, 2);
    Tensor xf = Tensor::make({s.m, s.k});
    Tensor wf = Tensor::make({s.n, s.k});
    std::copy(x.begin(), x.end(), xf.data<float>());
    std::copy(w.begin(), w.end(), wf.data<float>());
    const Tensor ours = ops_.linear(xf, ops_.pack(wf, {}, ComputeType::kInt8));
    std::vector<std::int32_t> theirs(static_cast<std::size_t>(s.m * s.n));
    test::OneDnnMatmul<std::int8_t>(s.m, s.k, s.n, w.data()).multiply(x.data(), theirs.data());
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      // The sum is whole and exact; turning it into f32 and scaling it by ~1 rounds three times.
      const double expected = theirs[i];
      ASSERT_NEAR(ours.data<float>()[i], expected, std::abs(expected) * 3e-7 + 1e-6)
          << s.m << " x " << s.k << " x " << s.n << " at " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, OneDnn, oracle::each_isa(), oracle::isa_name);

}  // namespace
}  // namespace steno::ops
