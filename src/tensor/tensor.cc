#include "tensor/tensor.h"

#include <fmt/ranges.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace steno {

Shape::Shape(std::initializer_list<std::int64_t> dims)
    : Shape(std::span<const std::int64_t>(dims.begin(), dims.size())) {}

Shape::Shape(std::span<const std::int64_t> dims) : rank_(static_cast<int>(dims.size())) {
  STENO_CHECK(dims.size() <= kMaxRank, "rank {}", dims.size());
  for (int i = 0; i < rank_; ++i) {
    STENO_CHECK(dims[i] >= 0, "dimension {} is {}", i, dims[i]);
    dims_[i] = dims[i];
  }
}

std::int64_t Shape::dim(int i) const {
  const int at = i < 0 ? rank_ + i : i;
  STENO_CHECK(at >= 0 && at < rank_, "dimension {} of rank {}", i, rank_);
  return dims_[at];
}

std::int64_t Shape::num_elements() const {
  std::int64_t n = 1;
  for (int i = 0; i < rank_; ++i) n *= dims_[i];
  return n;
}

std::string Shape::to_string() const {
  return fmt::format("[{}]", fmt::join(dims_.begin(), dims_.begin() + rank_, ", "));
}

namespace {

constexpr std::size_t kAlign = 64;  // a cache line, and the width of an AVX-512 register
constexpr std::size_t kHugePage = std::size_t{2} << 20;

// Large memory lies on huge pages where the system has some: weights and keys are read once per
// step, and looking up their small pages took a tenth of a decode step and a third of the
// vocabulary product (Ice Lake).
void* allocate(std::size_t bytes) {
  if (bytes < kHugePage) return std::aligned_alloc(kAlign, (bytes + kAlign) / kAlign * kAlign);
  const std::size_t rounded = (bytes + kHugePage) / kHugePage * kHugePage;
  void* data = std::aligned_alloc(kHugePage, rounded);
  if (data == nullptr) return nullptr;
  ::madvise(data, rounded, MADV_HUGEPAGE);  // advice: a refusal changes nothing
  return data;
}

}  // namespace

Tensor Tensor::make(const Shape& shape, DType dtype) {
  Tensor t;
  t.shape_ = shape;
  t.dtype_ = dtype;
  void* data = allocate(t.size_bytes());
  if (data == nullptr) {
    throw Error(ErrorCode::kUnavailable, "out of memory: {} MiB for a tensor {}",
                t.size_bytes() >> 20, shape.to_string());
  }
  t.data_ = data;
  t.owner_ = std::shared_ptr<void>(data, &std::free);
  return t;
}

Tensor Tensor::zeros(const Shape& shape, DType dtype) {
  Tensor t = make(shape, dtype);
  std::memset(t.data_, 0, t.size_bytes());
  return t;
}

Tensor Tensor::adopt(std::shared_ptr<void> owner, const Shape& shape, DType dtype) {
  Tensor t = borrow(owner.get(), shape, dtype);
  t.owner_ = std::move(owner);
  return t;
}

Tensor Tensor::borrow(void* data, const Shape& shape, DType dtype) {
  Tensor t;
  t.shape_ = shape;
  t.dtype_ = dtype;
  t.data_ = data;
  return t;
}

Tensor Tensor::reshaped(const Shape& shape) const {
  STENO_CHECK(shape.num_elements() == num_elements(), "{} as {}", shape_.to_string(),
              shape.to_string());
  Tensor t = *this;
  t.shape_ = shape;
  return t;
}

Tensor Tensor::slice(std::int64_t begin, std::int64_t end) const {
  STENO_CHECK(0 <= begin && begin <= end && end <= dim(0), "rows {} to {} of {}", begin, end,
              shape_.to_string());
  std::array<std::int64_t, Shape::kMaxRank> dims{};
  for (int i = 0; i < shape_.rank(); ++i) dims[i] = shape_.dim(i);
  dims[0] = end - begin;
  Tensor t = *this;
  t.shape_ = Shape(std::span<const std::int64_t>(dims.data(), shape_.rank()));
  const std::size_t row_bytes = dim(0) == 0 ? 0 : size_bytes() / static_cast<std::size_t>(dim(0));
  t.data_ = static_cast<std::byte*>(data_) + static_cast<std::size_t>(begin) * row_bytes;
  return t;
}

void Tensor::check_type(std::size_t size, bool is_float) const {
  STENO_CHECK(size == steno::size_bytes(dtype_) && (!is_float || dtype_ == DType::kF32),
              "a tensor of {} read as a {}-byte {}", name(dtype_), size,
              is_float ? "float" : "integer");
}

}  // namespace steno
