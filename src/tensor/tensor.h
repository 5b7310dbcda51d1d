// A dense row-major array: a shape, an element type and memory that is owned, shared or borrowed.
//
// Tensor is a value of a few words. Copies share the memory; nothing is copied behind the reader's
// back. Memory comes from Tensor::make, from an Arena that takes it back when the last copy dies
// (tensor/arena.h), or from a caller who keeps it (Tensor::borrow).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "base/check.h"
#include "tensor/dtype.h"

namespace steno {

// Up to four dimensions, outermost first. The last is contiguous.
class Shape {
 public:
  static constexpr int kMaxRank = 4;

  Shape() = default;
  Shape(std::initializer_list<std::int64_t> dims);
  explicit Shape(std::span<const std::int64_t> dims);

  int rank() const { return rank_; }
  // Negative indices count from the end: dim(-1) is the contiguous one.
  std::int64_t dim(int i) const;
  std::int64_t num_elements() const;
  std::string to_string() const;  // "[2, 1500, 512]"

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::array<std::int64_t, kMaxRank> dims_{};
  int rank_ = 0;
};

class Tensor {
 public:
  Tensor() = default;

  // Owned memory, 64-byte aligned, not initialised.
  static Tensor make(const Shape& shape, DType dtype = DType::kF32);
  static Tensor zeros(const Shape& shape, DType dtype = DType::kF32);
  // Memory that `owner` frees with the last copy.
  static Tensor adopt(std::shared_ptr<void> owner, const Shape& shape, DType dtype);
  // Memory of somebody else who outlives the tensor.
  static Tensor borrow(void* data, const Shape& shape, DType dtype = DType::kF32);

  bool empty() const { return data_ == nullptr; }
  const Shape& shape() const { return shape_; }
  std::int64_t dim(int i) const { return shape_.dim(i); }
  std::int64_t num_elements() const { return shape_.num_elements(); }
  // All dimensions but the last, multiplied: the rows of the matrix that a linear layer sees.
  std::int64_t num_rows() const { return dim(-1) == 0 ? 0 : num_elements() / dim(-1); }
  DType dtype() const { return dtype_; }
  std::size_t size_bytes() const {
    return static_cast<std::size_t>(num_elements()) * steno::size_bytes(dtype_);
  }

  // Requires the element type to match T (float, int8_t, int32_t, ...; uint16_t for f16 and bf16).
  template <typename T>
  T* data();
  template <typename T>
  const T* data() const;
  void* raw() { return data_; }
  const void* raw() const { return data_; }

  // The same memory under another shape of as many elements.
  Tensor reshaped(const Shape& shape) const;
  // Rows [begin, end) of the first dimension, sharing memory.
  Tensor slice(std::int64_t begin, std::int64_t end) const;

 private:
  void check_type(std::size_t size, bool is_float) const;

  Shape shape_;
  DType dtype_ = DType::kF32;
  void* data_ = nullptr;
  std::shared_ptr<void> owner_;
};

template <typename T>
const T* Tensor::data() const {
  check_type(sizeof(T), std::is_floating_point_v<T>);
  return static_cast<const T*>(data_);
}

template <typename T>
T* Tensor::data() {
  check_type(sizeof(T), std::is_floating_point_v<T>);
  return static_cast<T*>(data_);
}

}  // namespace steno
