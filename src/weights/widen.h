// Any element type of a checkpoint as f32.
#pragma once

#include <cstddef>

#include "tensor/dtype.h"

namespace steno::weights {

// Reads `size` elements of `dtype` (any alignment) and writes as many floats. Exact for every type
// but i32 and i64, which round to nearest. f16 subnormals, infinities and NaN are kept.
void widen(DType dtype, const std::byte* in, std::size_t size, float* out);

}  // namespace steno::weights
