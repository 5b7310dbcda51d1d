#include "ops/compute_type.h"

namespace steno::ops {

std::string_view name(ComputeType type) {
  switch (type) {
    case ComputeType::kF32:
      return "f32";
    case ComputeType::kBF16:
      return "bf16";
    case ComputeType::kInt8:
      return "int8";
  }
  return "?";
}

std::optional<ComputeType> find_compute_type(std::string_view wanted) {
  for (const ComputeType type : {ComputeType::kF32, ComputeType::kBF16, ComputeType::kInt8}) {
    if (name(type) == wanted) return type;
  }
  return std::nullopt;
}

}  // namespace steno::ops
