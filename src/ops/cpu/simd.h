// Vectors as wide as the instruction set this file is compiled for, and the functions on them.
//
// GCC vector extensions, not intrinsics: the same text is SSE4, AVX2, AVX-512 and NEON.
// Included by kernels.cc only, which says the namespace of its instruction set.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <cstddef>
#include <cstdint>

namespace steno::ops::cpu::STENO_ISA_NAMESPACE {
namespace {

#if defined(__AVX512F__)
constexpr int kLanes = 16;
constexpr int kWideVectors = 4;  // 6 x 4 sums, 4 panel registers and a broadcast: 29 of 32
#elif defined(__AVX2__)
constexpr int kLanes = 8;
constexpr int kWideVectors = 2;  // 6 x 2 sums, 2 panel registers and a broadcast: 15 of 16
#elif defined(__x86_64__)
constexpr int kLanes = 4;
constexpr int kWideVectors = 2;
#else
constexpr int kLanes = 4;
constexpr int kWideVectors = 4;  // arm64 has 32 registers
#endif
constexpr int kTileRows = 6;

using i64 = std::int64_t;
typedef float F __attribute__((vector_size(4 * kLanes)));
typedef std::int32_t I __attribute__((vector_size(4 * kLanes)));
typedef std::uint32_t U __attribute__((vector_size(4 * kLanes)));
typedef std::uint16_t H __attribute__((vector_size(2 * kLanes)));
typedef std::uint8_t B __attribute__((vector_size(kLanes)));
typedef std::int8_t S8 __attribute__((vector_size(kLanes)));
typedef std::int8_t S8Pairs __attribute__((vector_size(2 * kLanes)));
typedef std::int16_t S16Pairs __attribute__((vector_size(4 * kLanes)));

template <typename V, typename T>
inline V load(const T* p) {
  V v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <typename V, typename T>
inline void store(V v, T* p) {
  __builtin_memcpy(p, &v, sizeof v);
}
// The first n < kLanes elements; the rest is zero.
template <typename V, typename T>
inline V load_part(const T* p, i64 n) {
  V v = {};
  __builtin_memcpy(&v, p, static_cast<std::size_t>(n) * sizeof(T));
  return v;
}
template <typename V, typename T>
inline void store_part(V v, T* p, i64 n) {
  __builtin_memcpy(p, &v, static_cast<std::size_t>(n) * sizeof(T));
}

inline F splat(float x) {
  return x - F{};  // minus, not plus: x - 0 is x even for -0, so that nothing is left to compute
}
inline I splat(std::int32_t x) {
  return I{} + x;
}
inline I bits(F x) {
  return reinterpret_cast<I>(x);
}
inline float as_float(std::int32_t x) {
  float f;
  __builtin_memcpy(&f, &x, sizeof f);
  return f;
}
inline F from_bits(I x) {
  return reinterpret_cast<F>(x);
}
inline F select(I mask, F yes, F no) {
  return mask ? yes : no;
}
inline F max(F a, F b) {  // b where either is NaN
  return a > b ? a : b;
}
inline F min(F a, F b) {  // likewise
  return a < b ? a : b;
}
inline I max(I a, I b) {
  return a > b ? a : b;
}

// Adding 1.5 * 2^23 leaves the nearest integer (ties to even) in the low bits of the sum.
// Good for |x| < 2^22.
constexpr float kRoundingShift = 12582912.0F;

inline float sum_lanes(F v) {
  float lanes[kLanes];
  store(v, lanes);
  for (int width = kLanes / 2; width > 0; width /= 2) {
    for (int i = 0; i < width; ++i) lanes[i] += lanes[i + width];
  }
  return lanes[0];
}
// Lane i takes what lane i ^ kDistance has.
template <int kDistance, typename V>
inline V exchange_lanes(V v) {
  I index;
  for (int i = 0; i < kLanes; ++i) index[i] = i ^ kDistance;
  return __builtin_shuffle(v, index);
}
template <typename V>
inline V max_of_all_lanes(V v) {
  if constexpr (kLanes > 8) v = max(v, exchange_lanes<8>(v));
  if constexpr (kLanes > 4) v = max(v, exchange_lanes<4>(v));
  v = max(v, exchange_lanes<2>(v));
  return max(v, exchange_lanes<1>(v));
}
inline float max_lanes(F v) {
  return max_of_all_lanes(v)[0];
}
inline std::int32_t max_lanes(I v) {
  return max_of_all_lanes(v)[0];
}

// exp, within 2 ulp where the result is a normal number; 0 below, infinity above, NaN stays NaN.
// Source: Cephes expf: x = n ln 2 + r, |r| <= ln 2 / 2, a polynomial of degree 6 in r, times 2^n.
inline F exp(F x) {
  const F in_range = min(splat(88.3F), max(splat(-87.3F), x));  // NaN passes both
  const F shifted = in_range * 1.44269504088896341F + kRoundingShift;
  const F n = shifted - kRoundingShift;
  F r = in_range - n * 0.693359375F;
  r = r + n * 2.12194440e-4F;
  F p = splat(1.9875691500e-4F);
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  const F mantissa = p * (r * r) + r + 1.0F;
  const F power = from_bits((bits(shifted) << 23) + (127 << 23));
  const F result = mantissa * power;
  const F bounded = select(x > 88.3F, splat(__builtin_inff()), result);
  return select(x < -87.3F, splat(0.0F), bounded);
}

// erf within 3e-7. Source: the rational minimax approximation of Eigen (generic_fast_erf_float):
// odd polynomial over even polynomial on [-4, 4], outside of which erf is +-1 in f32.
inline F erf(F x) {
  const F t = min(splat(4.0F), max(splat(-4.0F), x));
  const F t2 = t * t;
  F p = splat(-2.72614225801306e-10F);
  p = p * t2 + 2.77068142495902e-08F;
  p = p * t2 + -2.10102402082508e-06F;
  p = p * t2 + -5.69250639462346e-05F;
  p = p * t2 + -7.34990630326855e-04F;
  p = p * t2 + -2.95459980854025e-03F;
  p = p * t2 + -1.60960333262415e-02F;
  F q = splat(-1.45660718464996e-05F);
  q = q * t2 + -2.13374055278905e-04F;
  q = q * t2 + -1.68282697438203e-03F;
  q = q * t2 + -7.37332916720468e-03F;
  q = q * t2 + -1.42647390514189e-02F;
  return t * p / q;
}

inline F gelu(F x) {
  return 0.5F * x * (1.0F + erf(x * 0.70710678118654752F));
}

inline F relu(F x) {  // NaN stays
  return select(x < 0.0F, splat(0.0F), x);
}

// Within 2e-7 of the exact value, which is what a gate needs: near 0 tanh is not good to the last
// bits.
inline F sigmoid(F x) {
  return 1.0F / (1.0F + exp(-x));
}
inline F tanh(F x) {
  return 1.0F - 2.0F / (1.0F + exp(2.0F * x));
}

// TRAP: g++ 12 splits a conversion to wider elements into halves and puts them together again:
// hence the intrinsics. The
// unmasked form of the first one makes g++ 12 warn of its own header.
inline U widen(H x) {
#if defined(__AVX512F__)
  return reinterpret_cast<U>(_mm512_maskz_cvtepu16_epi32(0xffff, reinterpret_cast<__m256i>(x)));
#elif defined(__AVX2__)
  return reinterpret_cast<U>(_mm256_cvtepu16_epi32(reinterpret_cast<__m128i>(x)));
#else
  return __builtin_convertvector(x, U);
#endif
}
inline I widen(S8 x) {
#if defined(__AVX512F__)
  return reinterpret_cast<I>(_mm512_maskz_cvtepi8_epi32(0xffff, reinterpret_cast<__m128i>(x)));
#elif defined(__AVX2__)
  return reinterpret_cast<I>(_mm256_cvtepi8_epi32(_mm_cvtsi64_si128(reinterpret_cast<i64>(x))));
#else
  return __builtin_convertvector(x, I);
#endif
}
inline I widen_pairs(S8Pairs x) {  // to 16 bits each
#if defined(__AVX512BW__)
  return reinterpret_cast<I>(_mm512_cvtepi8_epi16(reinterpret_cast<__m256i>(x)));
#elif defined(__AVX2__)
  return reinterpret_cast<I>(_mm256_cvtepi8_epi16(reinterpret_cast<__m128i>(x)));
#else
  return reinterpret_cast<I>(__builtin_convertvector(x, S16Pairs));
#endif
}

// The low 8 bits of each lane. TRAP: g++ 12 takes a general conversion apart lane by lane.
inline B low_bytes(I x) {
#if defined(__AVX512F__)
  return reinterpret_cast<B>(_mm512_maskz_cvtepi32_epi8(0xffff, reinterpret_cast<__m512i>(x)));
#else
  return __builtin_convertvector(x, B);
#endif
}

// The low 16 bits of each lane of a, then of b.
inline void store_low_halves(I a, I b, std::int16_t* out) {
#if defined(__AVX512BW__)
  const __m512i mixed = _mm512_packs_epi32(reinterpret_cast<__m512i>((a << 16) >> 16),
                                           reinterpret_cast<__m512i>((b << 16) >> 16));
  const __m512i order = _mm512_set_epi64(7, 5, 3, 1, 6, 4, 2, 0);
  _mm512_storeu_si512(out, _mm512_maskz_permutexvar_epi64(0xff, order, mixed));
#else
  store(__builtin_convertvector(a, H), out);
  store(__builtin_convertvector(b, H), out + kLanes);
#endif
}

inline F widen_bf16(H x) {
  return reinterpret_cast<F>(widen(x) << 16);
}
inline U round_to_bf16(F x) {  // the bits, in the low half of each lane
  const U u = reinterpret_cast<U>(x);
  const U rounded = (u + 0x7fffU + ((u >> 16) & 1U)) >> 16;
  const I is_nan = (bits(x) & 0x7fffffff) > 0x7f800000;
  return is_nan ? (u >> 16) | 0x40U : rounded;
}
// Halves as f32: shifting the exponent field up leaves the value 2^112 too small, subnormals
// included.
inline F widen_f16(H x) {
  const U u = widen(x);
  const F magnitude = reinterpret_cast<F>((u & 0x7fffU) << 13) * 0x1p112F;
  const I special = reinterpret_cast<I>((u & 0x7c00U) == 0x7c00U);  // infinity, NaN
  const U magnitude_bits =
      special ? ((u & 0x7fffU) << 13) | 0x7f800000U : reinterpret_cast<U>(magnitude);
  return reinterpret_cast<F>(magnitude_bits | ((u & 0x8000U) << 16));
}

}  // namespace
}  // namespace steno::ops::cpu::STENO_ISA_NAMESPACE
