// The arithmetic of the heavy layers (linear, conv1d, attention). Everything else is f32.
#pragma once

#include <optional>
#include <string_view>

namespace steno::ops {

enum class ComputeType {
  kF32,   // the reference
  kBF16,  // operands rounded to bfloat16, sums in f32
  kInt8,  // weights per output row, activations per row at run time, sums in int32 (CTranslate2's)
};

std::string_view name(ComputeType type);  // "f32", "bf16", "int8"
std::optional<ComputeType> find_compute_type(std::string_view name);

}  // namespace steno::ops
