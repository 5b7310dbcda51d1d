// Element types of tensors and of checkpoint files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steno {

enum class DType : std::uint8_t { kF32, kF16, kBF16, kI8, kU8, kI16, kI32, kI64 };

std::size_t size_bytes(DType dtype);
std::string_view name(DType dtype);  // "f32", "bf16", ...

// IEEE 754 binary16 and bfloat16 as raw bits. Rounding is to nearest even; NaN stays NaN.
float f16_to_f32(std::uint16_t bits);
float bf16_to_f32(std::uint16_t bits);
std::uint16_t f32_to_bf16(float value);

}  // namespace steno
