#include "weights/checkpoint.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "weights/quote.h"
#include "weights/widen.h"

namespace steno::weights {
namespace {

std::int64_t rows_of(const Shape& shape) {
  return shape.rank() == 0 ? 1 : shape.dim(0);
}

std::int64_t row_elements_of(const Shape& shape) {
  std::int64_t n = 1;
  for (int i = 1; i < shape.rank(); ++i) n *= shape.dim(i);
  return n;
}

}  // namespace

Checkpoint::Checkpoint(Contents contents) : contents_(std::move(contents)) {
  const auto add = [&](const std::string& name, int index) {
    if (!index_by_name_.emplace(name, index).second) {
      throw Error(ErrorCode::kInvalidModel, "weights: {}: the name {} occurs twice", description(),
                  quote(name));
    }
  };
  for (std::size_t i = 0; i < tensors().size(); ++i) add(tensors()[i].name, static_cast<int>(i));
  for (const auto& [alias, target] : contents_.aliases) {
    const TensorInfo* found = find(target);
    if (found == nullptr) {
      throw Error(ErrorCode::kInvalidModel,
                  "weights: {}: the alias {} leads to {}, which is not there", description(),
                  quote(alias), quote(target));
    }
    add(alias, static_cast<int>(found - tensors().data()));
  }
}

const TensorInfo* Checkpoint::find(std::string_view name) const {
  const auto found = index_by_name_.find(name);
  return found == index_by_name_.end() ? nullptr : &tensors()[found->second];
}

std::optional<std::int64_t> Checkpoint::find_number(std::string_view name) const {
  const auto found = contents_.numbers.find(name);
  if (found == contents_.numbers.end()) return std::nullopt;
  return found->second;
}

Tensor Checkpoint::read(std::string_view name) const {
  const TensorInfo& tensor = readable(name);
  Tensor out = Tensor::make(tensor.shape, tensor.dtype);
  contents_.sources[tensor.source]->read_at(tensor.offset,
                                            {static_cast<std::byte*>(out.raw()), out.size_bytes()});
  return out;
}

Tensor Checkpoint::read_f32(std::string_view name) const {
  const TensorInfo& tensor = readable(name);
  Tensor out = Tensor::make(tensor.shape);
  read_f32_rows(name, 0, rows_of(tensor.shape), out.data<float>());
  return out;
}

void Checkpoint::read_f32_rows(std::string_view name, std::int64_t first_row, std::int64_t num_rows,
                               float* out) const {
  const TensorInfo& tensor = readable(name);
  STENO_CHECK(first_row >= 0 && num_rows >= 0 && first_row <= rows_of(tensor.shape) - num_rows,
              "{} rows from {} of {} {}", num_rows, first_row, quote(name),
              tensor.shape.to_string());
  const std::int64_t row_elements = row_elements_of(tensor.shape);
  read_elements(tensor, first_row * row_elements, num_rows * row_elements, out);
  if (tensor.scale >= 0) divide_by_scale(tensor, first_row, num_rows, out);
}

const TensorInfo& Checkpoint::readable(std::string_view name) const {
  const TensorInfo* tensor = find(name);
  if (tensor == nullptr) {
    throw Error(ErrorCode::kInvalidModel, "weights: {}: has no tensor {}", description(),
                quote(name));
  }
  if (!tensor->unreadable.empty()) {
    throw Error(ErrorCode::kInvalidModel, "weights: {}: tensor {} cannot be read: {}",
                description(), quote(name), tensor->unreadable);
  }
  return *tensor;
}

void Checkpoint::read_elements(const TensorInfo& tensor, std::int64_t first, std::int64_t size,
                               float* out) const {
  constexpr std::int64_t kPieceBytes = std::int64_t{256} << 10;  // stays in the L2 cache
  const ByteSource& source = *contents_.sources[tensor.source];
  const auto element_bytes = static_cast<std::int64_t>(size_bytes(tensor.dtype));
  const std::uint64_t offset = tensor.offset + static_cast<std::uint64_t>(first * element_bytes);
  if (tensor.dtype == DType::kF32) {
    const auto num_floats = static_cast<std::size_t>(size);
    source.read_at(offset, std::as_writable_bytes(std::span<float>(out, num_floats)));
    return;
  }
  std::vector<std::byte> piece(std::min(kPieceBytes, size * element_bytes));
  for (std::int64_t at = 0; at < size;) {
    const std::int64_t count = std::min(size - at, kPieceBytes / element_bytes);
    const std::span<std::byte> bytes(piece.data(), static_cast<std::size_t>(count * element_bytes));
    source.read_at(offset + static_cast<std::uint64_t>(at * element_bytes), bytes);
    widen(tensor.dtype, bytes.data(), static_cast<std::size_t>(count), out + at);
    at += count;
  }
}

void Checkpoint::divide_by_scale(const TensorInfo& tensor, std::int64_t first_row,
                                 std::int64_t num_rows, float* out) const {
  const TensorInfo& scale = tensors()[tensor.scale];
  const bool one_for_all = scale.shape.num_elements() == 1;
  std::vector<float> scales(one_for_all ? 1 : num_rows);
  read_elements(scale, one_for_all ? 0 : first_row, static_cast<std::int64_t>(scales.size()),
                scales.data());
  const std::int64_t row_elements = row_elements_of(tensor.shape);
  for (std::int64_t row = 0; row < num_rows; ++row) {
    const float divisor = scales[one_for_all ? 0 : row];
    for (std::int64_t i = 0; i < row_elements; ++i) out[row * row_elements + i] /= divisor;
  }
}

}  // namespace steno::weights
