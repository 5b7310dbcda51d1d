// The matrix product's innermost loops: up to kTileRows rows times one packed panel.
//
// A tile keeps rows x vectors sums in registers over a block of K; a block is short enough that its
// piece of the panel stays in the L1 cache while all rows pass over it. Every sum adds its terms in
// the order of k, whatever the number of rows: a row's result does not depend on its neighbours.
// Included by kernels.cc only, which says the namespace of its instruction set.
#pragma once

#include <cstdint>

#include "ops/cpu/kernels.h"
#include "ops/cpu/simd.h"

namespace steno::ops::cpu::STENO_ISA_NAMESPACE {
namespace {

// f32 x f32.
struct ProductF32 {
  using A = float;
  using B = float;
  using Sum = float;
  using Vector = F;
  static constexpr int kGroup = 1;
  static Vector load_panel(const B* b) { return load<F>(b); }
  static Vector broadcast(const A* a) { return splat(*a); }
  static void multiply_add(Vector& sum, Vector a, Vector b) { sum += a * b; }
};

// f32 x bfloat16, the panel widened as it is read.
struct ProductBf16Stored : ProductF32 {
  using B = std::uint16_t;
  static Vector load_panel(const B* b) { return widen_bf16(load<H>(b)); }
};

inline I splat_bits(const void* p) {
  std::int32_t x;
  __builtin_memcpy(&x, p, sizeof x);
  return splat(x);
}

// Sums of pairs of 16-bit products.
inline I multiply_pairs(I a, I b) {
#if defined(__AVX512BW__)
  return reinterpret_cast<I>(
      _mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
#elif defined(__AVX2__)
  return reinterpret_cast<I>(
      _mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
  return reinterpret_cast<I>(
      _mm_madd_epi16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
  return ((a << 16) >> 16) * ((b << 16) >> 16) + (a >> 16) * (b >> 16);
#endif
}

// int8 x int8 without VNNI: both widened to 16 bits. TRAP: the u8 x s8 instruction of AVX2
// (vpmaddubsw) adds two products in 16 bits and saturates.
struct ProductInt8Pairs {
  using A = std::int16_t;
  using B = std::int8_t;
  using Sum = std::int32_t;
  using Vector = I;
  static constexpr int kGroup = 2;
  static Vector load_panel(const B* b) { return widen_pairs(load<S8Pairs>(b)); }
  static Vector broadcast(const A* a) { return splat_bits(a); }
  static void multiply_add(Vector& sum, Vector a, Vector b) { sum += multiply_pairs(a, b); }
};

#if defined(__AVX512F__)
// TRAP: the intrinsics of both instructions make g++ 12 copy and spill the sums (2x slower): hence
// asm. Whether the CPU has them is looked up before the table offers them.
struct ProductInt8Vnni {
  using A = std::uint8_t;
  using B = std::int8_t;
  using Sum = std::int32_t;
  using Vector = I;
  static constexpr int kGroup = 4;
  static Vector load_panel(const B* b) { return load<I>(b); }
  static Vector broadcast(const A* a) { return splat_bits(a); }
  static void multiply_add(Vector& sum, Vector a, Vector b) {
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
};

struct ProductBf16Native {
  using A = std::uint16_t;
  using B = std::uint16_t;
  using Sum = float;
  using Vector = F;
  static constexpr int kGroup = 2;
  static Vector load_panel(const B* b) { return load<F>(b); }
  static Vector broadcast(const A* a) { return from_bits(splat_bits(a)); }
  static void multiply_add(Vector& sum, Vector a, Vector b) {
    asm("vdpbf16ps %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
};
#endif

// TRAP: not inlined, and nothing but the product in it: constants of an epilogue hoisted into this
// loop make the sums spill (2x slower).
template <class P, int kRows, int kVectors>
__attribute__((noinline)) void multiply_tile(const char* a, i64 a_stride_bytes,
                                             const typename P::B* b, i64 num_groups,
                                             const typename P::Sum* init, i64 init_stride,
                                             typename P::Sum* c, i64 c_stride) {
  using V = typename P::Vector;
  V sums[kRows][kVectors];
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) sums[r][v] = load<V>(init + r * init_stride + v * kLanes);
  }
  for (i64 g = 0; g < num_groups; ++g) {
    V columns[kVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) columns[v] = P::load_panel(b + v * kLanes * P::kGroup);
    b += kVectors * kLanes * P::kGroup;
#pragma GCC unroll 8
    for (int r = 0; r < kRows; ++r) {
      const V row = P::broadcast(reinterpret_cast<const typename P::A*>(a + r * a_stride_bytes) +
                                 g * P::kGroup);
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) P::multiply_add(sums[r][v], row, columns[v]);
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v) store(sums[r][v], c + r * c_stride + v * kLanes);
  }
}

template <class P, int kRows, int kVectors>
void multiply_rows(i64 rows, const char* a, i64 a_stride_bytes, const typename P::B* b,
                   i64 num_groups, const typename P::Sum* init, i64 init_stride, typename P::Sum* c,
                   i64 c_stride) {
  if (rows == kRows) {
    multiply_tile<P, kRows, kVectors>(a, a_stride_bytes, b, num_groups, init, init_stride, c,
                                      c_stride);
  } else if constexpr (kRows > 1) {
    multiply_rows<P, kRows - 1, kVectors>(rows, a, a_stride_bytes, b, num_groups, init, init_stride,
                                          c, c_stride);
  }
}

constexpr float kNoSums[kMaxPanelColumns] = {};  // zero as f32 and as int32

// Bytes of a panel that the rows pass over at once: two thirds of a 32 KiB L1 cache.
constexpr i64 kPanelBlockBytes = 20480;

template <class P, int kVectors>
void multiply(const void* a, i64 a_stride_bytes, const void* panel, i64 num_groups, i64 rows,
              const void* init, i64 init_stride, void* c, i64 c_stride) {
  using Sum = typename P::Sum;
  constexpr i64 kGroupElements = kVectors * kLanes * P::kGroup;
  constexpr i64 kBlock = kPanelBlockBytes / (kGroupElements * i64{sizeof(typename P::B)});
  const auto* start = static_cast<const Sum*>(init == nullptr ? kNoSums : init);
  i64 start_stride = init == nullptr ? 0 : init_stride;
  auto* sums = static_cast<Sum*>(c);
  for (i64 g = 0; g < num_groups; g += kBlock) {
    const i64 groups = num_groups - g < kBlock ? num_groups - g : kBlock;
    const auto* b = static_cast<const typename P::B*>(panel) + g * kGroupElements;
    const char* a_block = static_cast<const char*>(a) + g * P::kGroup * i64{sizeof(typename P::A)};
    for (i64 r = 0; r < rows; r += kTileRows) {
      const i64 n = rows - r < kTileRows ? rows - r : kTileRows;
      multiply_rows<P, kTileRows, kVectors>(n, a_block + r * a_stride_bytes, a_stride_bytes, b,
                                            groups, start + r * start_stride, start_stride,
                                            sums + r * c_stride, c_stride);
    }
    start = sums;
    start_stride = c_stride;
  }
}

}  // namespace
}  // namespace steno::ops::cpu::STENO_ISA_NAMESPACE
