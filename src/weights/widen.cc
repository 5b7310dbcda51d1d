#include "weights/widen.h"

#include <bit>
#include <cstdint>
#include <cstring>

namespace steno::weights {
namespace {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian");

// f16_to_f32 of tensor/dtype.h without branches, so that the loop becomes SIMD on every x86-64: a
// model has some 10^8 of these. A subnormal has no implicit one: give it one, then subtract that.
float widen_f16(std::uint16_t bits) {
  constexpr std::uint32_t kExponentMask = 0x7c00u << 13;
  const std::uint32_t magnitude = static_cast<std::uint32_t>(bits & 0x7fffu) << 13;
  const std::uint32_t exponent = magnitude & kExponentMask;
  const std::uint32_t normal = magnitude + ((127u - 15u) << 23);
  const std::uint32_t infinite = magnitude + ((255u - 31u) << 23);
  const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(
      std::bit_cast<float>(normal + (1u << 23)) - std::bit_cast<float>(113u << 23));
  std::uint32_t wide = exponent == kExponentMask ? infinite : normal;
  wide = exponent == 0 ? subnormal : wide;
  return std::bit_cast<float>(wide | (static_cast<std::uint32_t>(bits & 0x8000u) << 16));
}

float widen_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

template <typename T, typename Convert>
void widen_each(const std::byte* in, std::size_t size, float* out, Convert convert) {
  for (std::size_t i = 0; i < size; ++i) {
    T value;
    std::memcpy(&value, in + i * sizeof(T), sizeof(T));
    out[i] = convert(value);
  }
}

template <typename T>
void widen_integers(const std::byte* in, std::size_t size, float* out) {
  widen_each<T>(in, size, out, [](T value) { return static_cast<float>(value); });
}

}  // namespace

void widen(DType dtype, const std::byte* in, std::size_t size, float* out) {
  switch (dtype) {
    case DType::kF32:
      if (size > 0) std::memcpy(out, in, size * sizeof(float));
      return;
    case DType::kF16:
      return widen_each<std::uint16_t>(in, size, out, widen_f16);
    case DType::kBF16:
      return widen_each<std::uint16_t>(in, size, out, widen_bf16);
    case DType::kI8:
      return widen_integers<std::int8_t>(in, size, out);
    case DType::kU8:
      return widen_integers<std::uint8_t>(in, size, out);
    case DType::kI16:
      return widen_integers<std::int16_t>(in, size, out);
    case DType::kI32:
      return widen_integers<std::int32_t>(in, size, out);
    case DType::kI64:
      return widen_integers<std::int64_t>(in, size, out);
  }
}

}  // namespace steno::weights
