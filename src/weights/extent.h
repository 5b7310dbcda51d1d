// How many bytes an untrusted shape takes, without overflow. Shared by the format parsers.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "tensor/tensor.h"

namespace steno::weights {

// Elements times element size; nothing when that leaves 63 bits. A dimension of zero does not
// excuse the others: their product must fit too, since code that computes strides multiplies them.
inline std::optional<std::uint64_t> try_size_bytes(std::span<const std::uint64_t> dims,
                                                   std::uint64_t element_bytes) {
  std::uint64_t product = element_bytes;
  bool is_empty = false;
  for (const std::uint64_t dim : dims) {
    if (dim == 0) {
      is_empty = true;
      continue;
    }
    if (dim > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / product) {
      return std::nullopt;
    }
    product *= dim;
  }
  return is_empty ? 0 : product;
}

// Requires try_size_bytes(dims, ...) to have a value and at most Shape::kMaxRank dimensions.
inline Shape shape_of(std::span<const std::uint64_t> dims) {
  std::int64_t signed_dims[Shape::kMaxRank] = {};
  for (std::size_t i = 0; i < dims.size(); ++i) signed_dims[i] = static_cast<std::int64_t>(dims[i]);
  return Shape(std::span<const std::int64_t>(signed_dims, dims.size()));
}

}  // namespace steno::weights
