// What Silero's own ONNX model hears (tools/reference/vad_goldens.py).
#pragma once

#include <string>
#include <vector>

#include "support/golden.h"

namespace steno::vad {

inline std::vector<float> golden_probabilities(const std::string& name) {
  static const auto arrays = weights::open(golden::folder() / "vad" / "ref.safetensors");
  const Tensor array = arrays->read(name);
  const std::span<const float> values = golden::values(array);
  return {values.begin(), values.end()};
}

}  // namespace steno::vad
