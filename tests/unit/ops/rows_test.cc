// The ops that take rows one by one, through ops.h: shapes, broadcasting, refusals.
#include <gtest/gtest.h>

#include "ops/cpu/cpu_ops.h"
#include "unit/ops/oracle.h"

namespace steno::ops {
namespace {

using oracle::Values;
using oracle::values_of;

class RowsTest : public testing::Test {
 protected:
  cpu::CpuOps ops_{cpu::choose_isa(), 2};
};

TEST_F(RowsTest, LayerNormTakesEachRowAlone) {
  const Tensor x = oracle::random({3, 700, 33}, 1);
  const Tensor gamma = oracle::random({33}, 2);
  const Tensor beta = oracle::random({33}, 3);
  const Tensor all = ops_.layer_norm(x, gamma, beta, 1e-5F);
  EXPECT_EQ(all.shape(), x.shape());
  const Tensor last = ops_.layer_norm(x.slice(2, 3), gamma, beta, 1e-5F);
  EXPECT_EQ(values_of(last), values_of(all.slice(2, 3)));
  EXPECT_ANY_THROW(ops_.layer_norm(x, oracle::random({32}, 2), beta, 1e-5F));
}

TEST_F(RowsTest, GeluOfMoreThanOnePiece) {
  const Tensor x = oracle::random({5, 7001}, 4);
  const Tensor y = ops_.gelu(x);
  for (std::int64_t i = 0; i < x.num_elements(); ++i) {
    ASSERT_NEAR(y.data<float>()[i], oracle::gelu(x.data<float>()[i]), 1e-6);
  }
}

TEST_F(RowsTest, ReluKeepsWhatIsNotBelowZero) {
  Tensor x = oracle::random({3, 6001}, 8);
  x.data<float>()[5] = std::nanf("");
  const Tensor y = ops_.relu(x);
  for (std::int64_t i = 0; i < x.num_elements(); ++i) {
    if (i == 5) continue;
    ASSERT_EQ(y.data<float>()[i], std::max(0.0F, x.data<float>()[i]));
  }
  EXPECT_TRUE(std::isnan(y.data<float>()[5]));
}

TEST_F(RowsTest, AddRepeatsTheLastDimensions) {
  const Tensor a = oracle::random({2, 3, 5}, 5);
  for (const Shape& shape : {Shape{2, 3, 5}, Shape{3, 5}, Shape{5}}) {
    const Tensor b = oracle::random(shape, 6);
    const Tensor sum = ops_.add(a, b);
    for (std::int64_t i = 0; i < a.num_elements(); ++i) {
      ASSERT_EQ(sum.data<float>()[i], a.data<float>()[i] + b.data<float>()[i % b.num_elements()]);
    }
  }
  EXPECT_ANY_THROW(ops_.add(a, oracle::random({2, 5}, 6)));
  EXPECT_EQ(ops_.add(Tensor::zeros({0, 5}), oracle::random({5}, 6)).shape(), (Shape{0, 5}));
}

TEST_F(RowsTest, EmbeddingWidensItsRows) {
  Tensor table = Tensor::make({3, 21}, DType::kBF16);
  Tensor halves = Tensor::make({3, 21}, DType::kF16);
  Tensor floats = Tensor::make({3, 21});
  for (int i = 0; i < 63; ++i) {
    table.data<std::uint16_t>()[i] = f32_to_bf16(static_cast<float>(i));
    halves.data<std::uint16_t>()[i] = static_cast<std::uint16_t>(0x3c00 + i);
    floats.data<float>()[i] = static_cast<float>(i);
  }
  const std::int32_t ids[] = {2, 0, 2};
  for (int i = 0; i < 63; ++i) {
    const int at = ids[i / 21] * 21 + i % 21;
    EXPECT_EQ(ops_.embedding(table, ids).data<float>()[i], static_cast<float>(at));
    EXPECT_EQ(ops_.embedding(floats, ids).data<float>()[i], static_cast<float>(at));
    EXPECT_EQ(ops_.embedding(halves, ids).data<float>()[i], 1 + static_cast<float>(at) / 1024);
  }
  const std::int32_t wrong[] = {3};
  EXPECT_ANY_THROW(ops_.embedding(table, wrong));
  EXPECT_ANY_THROW(ops_.embedding(Tensor::make({3, 4}, DType::kI8), ids));
}

TEST_F(RowsTest, AResultStaysWhileSomebodyHoldsIt) {
  const Tensor x = oracle::random({4, 64}, 7);
  const Tensor first = ops_.gelu(x);
  const Values before = values_of(first);
  for (int i = 0; i < 100; ++i) ops_.add(x, x);
  EXPECT_EQ(values_of(first), before);
}

}  // namespace
}  // namespace steno::ops
