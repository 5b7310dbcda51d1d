#include "tensor/tensor.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"

namespace steno {
namespace {

TEST(ShapeTest, CountsAndNegativeIndices) {
  const Shape shape{2, 3, 4};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.dim(0), 2);
  EXPECT_EQ(shape.dim(-1), 4);
  EXPECT_EQ(shape.num_elements(), 24);
  EXPECT_EQ(shape.to_string(), "[2, 3, 4]");
  EXPECT_EQ(Shape{}.num_elements(), 1);
  EXPECT_EQ((Shape{5, 0}).num_elements(), 0);
  EXPECT_NE((Shape{2, 3}), (Shape{2, 3, 1}));
}

TEST(ShapeTest, RefusesWhatIsNoShape) {
  EXPECT_THROW((Shape{1, 2, 3, 4, 5}), Error);
  EXPECT_THROW((Shape{-1}), Error);
  EXPECT_THROW((Shape{2}).dim(1), Error);
  EXPECT_THROW((Shape{2}).dim(-2), Error);
}

TEST(TensorTest, MemoryIsAlignedAndShared) {
  Tensor a = Tensor::zeros({3, 5});
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.raw()) % 64, 0U);
  Tensor copy = a;
  copy.data<float>()[7] = 2.0F;
  EXPECT_EQ(a.data<float>()[7], 2.0F);
  EXPECT_EQ(a.num_rows(), 3);
  EXPECT_EQ(a.size_bytes(), 60U);
  EXPECT_TRUE(Tensor().empty());
  EXPECT_FALSE(Tensor::make({0, 4}).empty());
  EXPECT_EQ(Tensor::make({0, 4}).num_rows(), 0);
  EXPECT_EQ(Tensor::make({4, 0}).num_rows(), 0);
}

TEST(TensorTest, ViewsKeepTheMemoryAlive) {
  Tensor view;
  {
    Tensor a = Tensor::zeros({4, 3});
    a.data<float>()[6] = 5.0F;
    view = a.slice(2, 4).reshaped({6});
  }
  EXPECT_EQ(view.shape(), (Shape{6}));
  EXPECT_EQ(view.data<float>()[0], 5.0F);
}

TEST(TensorTest, BorrowsWithoutOwning) {
  float values[6] = {0, 1, 2, 3, 4, 5};
  const Tensor t = Tensor::borrow(values, {2, 3});
  EXPECT_EQ(t.raw(), values);
  EXPECT_EQ(t.slice(1, 2).data<float>()[0], 3.0F);
}

TEST(TensorTest, WrongTypesAndViewsAreRefused) {
  const Tensor t = Tensor::zeros({2, 3}, DType::kBF16);
  EXPECT_NO_THROW(t.data<std::uint16_t>());
  EXPECT_THROW(t.data<float>(), Error);
  EXPECT_THROW(Tensor::zeros({2}, DType::kI32).data<float>(), Error);
  EXPECT_THROW(t.reshaped({5}), Error);
  EXPECT_THROW(t.slice(1, 3), Error);
  EXPECT_THROW(t.slice(2, 1), Error);
}

}  // namespace
}  // namespace steno
