// The inner loops of attention in integers: scores as int32 -> softmax weights as int16 -> weighted
// sums of int16 values.
//
// Weights keep 15 bits and values 10 and a sign, so that 128 products fit int32: that is as exact
// as bfloat16 operands, and as fast, on CPUs that have no bfloat16 instructions. Included by
// kernels.cc only, which says the namespace of its instruction set.
#pragma once

#include <cstdint>

#include "ops/cpu/gemm_tile.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/simd.h"

namespace steno::ops::cpu::STENO_ISA_NAMESPACE {
namespace {

// int16 x int16, sums of pairs.
struct ProductInt16 {
  using A = std::int16_t;
  using B = std::int16_t;
  using Sum = std::int32_t;
  using Vector = I;
  static constexpr int kGroup = 2;
  static Vector load_panel(const B* b) { return load<I>(b); }
  static Vector broadcast(const A* a) { return splat_bits(a); }
  static void multiply_add(Vector& sum, Vector a, Vector b) { sum += multiply_pairs(a, b); }
};

#if defined(__AVX512F__)
template <class Pairs>
struct WithVnni : Pairs {
  using Vector = typename Pairs::Vector;
  static void multiply_add(Vector& sum, Vector a, Vector b) {
    asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(b));
  }
};
#endif

// kMaxSoftmaxWeight * 2^x for x <= 0, relative error below 8e-5 (a minimax cubic over [-1/2, 1/2]);
// what is below 2^-30 may be anything up to that. NaN stays NaN.
inline F weight_of(F x) {
  constexpr float kOne = kMaxSoftmaxWeight;
#if defined(__AVX512F__)
  const F bounded = x;
#else
  const F bounded = max(splat(-30.0F), x);
#endif
  const F shifted = bounded + kRoundingShift;
  const F n = shifted - kRoundingShift;
  const F f = bounded - n;
  F p = splat(5.517166876e-2F * kOne);
  p = p * f + 2.426111328e-1F * kOne;
  p = p * f + 6.932609864e-1F * kOne;
  p = p * f + 9.999280729e-1F * kOne;
#if defined(__AVX512F__)
  return reinterpret_cast<F>(
      _mm512_maskz_scalef_ps(0xffff, reinterpret_cast<__m512>(p), reinterpret_cast<__m512>(n)));
#else
  return from_bits(bits(p) + (bits(shifted) << 23));
#endif
}

// What the softmax sees of some scores, but for the query's factor. `i`: of the row's vectors.
inline F rescaled(const std::int32_t* scores, const float* key_factors,
                  const std::int32_t* key_sums, std::uint32_t zero, i64 i) {
  // Unsigned: what lies behind the last key may be anything.
  const U score = load<U>(scores + i) - load<U>(key_sums + i) * zero;
  return __builtin_convertvector(reinterpret_cast<I>(score), F) * load<F>(key_factors + i);
}

void rescale_scores(std::int32_t* scores, const float* key_factors, const std::int32_t* key_sums,
                    std::int32_t zero, i64 n) {
  auto* scaled = reinterpret_cast<float*>(scores);
  for (i64 i = 0; i < round_up_to_softmax_block(n); i += kLanes) {
    store(rescaled(scores, key_factors, key_sums, static_cast<std::uint32_t>(zero), i), scaled + i);
  }
}

// Rescales n >= 1 scores in place and returns the largest; those behind them, up to a whole block,
// become -infinity.
F rescale_and_find_max(std::int32_t* scores, const float* key_factors, const std::int32_t* key_sums,
                       std::int32_t zero, i64 n) {
  auto* scaled = reinterpret_cast<float*>(scores);
  const auto point = static_cast<std::uint32_t>(zero);
  F best = splat(-__builtin_inff());
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F v = rescaled(scores, key_factors, key_sums, point, i);
    store(v, scaled + i);
    best = max(v, best);
  }
  I lane;
  for (int l = 0; l < kLanes; ++l) lane[l] = l;
  for (; i < round_up_to_softmax_block(n); i += kLanes) {
    const I is_inside = lane < static_cast<std::int32_t>(n - i);
    const F v = select(is_inside, rescaled(scores, key_factors, key_sums, point, i),
                       splat(-__builtin_inff()));
    store(v, scaled + i);
    best = max(v, best);
  }
  return splat(max_lanes(best));
}

inline void clear_behind(std::int16_t* weights, i64 n) {
  const i64 size = round_up_to_softmax_block(n) - n;
  __builtin_memset(weights + n, 0, static_cast<std::size_t>(size) * sizeof(std::int16_t));
}

float softmax_weights(std::int32_t* scores, const float* key_factors, const std::int32_t* key_sums,
                      RowForm query, i64 n, std::int16_t* weights) {
  const auto* scaled = reinterpret_cast<const float*>(scores);
  const F highest = rescale_and_find_max(scores, key_factors, key_sums, query.zero, n);
  const auto rounded = [&](i64 at) {
    return weight_of((load<F>(scaled + at) - highest) * query.factor) + kRoundingShift;
  };
  F sum = {};
  for (i64 i = 0; i < n; i += 2 * kLanes) {
    const F first = rounded(i);
    const F second = rounded(i + kLanes);
    store_low_halves(bits(first), bits(second), weights + i);
    sum += (first - kRoundingShift) + (second - kRoundingShift);
  }
  clear_behind(weights, n);
  return sum_lanes(sum);
}

float softmax_weights_of_values(std::int32_t* scores, const float* key_factors,
                                const std::int32_t* key_sums, RowForm query,
                                const float* value_factors, float value_scale, i64 n,
                                std::int16_t* weights) {
  const auto* scaled = reinterpret_cast<const float*>(scores);
  const F highest = rescale_and_find_max(scores, key_factors, key_sums, query.zero, n);
  F sum = {};
  for (i64 i = 0; i < n; i += 2 * kLanes) {
    const F first = weight_of((load<F>(scaled + i) - highest) * query.factor);
    const F second = weight_of((load<F>(scaled + i + kLanes) - highest) * query.factor);
    sum += first + second;
    const F first_factor = load<F>(value_factors + i) * value_scale;
    const F second_factor = load<F>(value_factors + i + kLanes) * value_scale;
    store_low_halves(bits(first * first_factor + kRoundingShift),
                     bits(second * second_factor + kRoundingShift), weights + i);
  }
  clear_behind(weights, n);
  return sum_lanes(sum);
}

template <class P>
void sum_weighted(const std::int16_t* weights, i64 stride_bytes, const void* values, i64 num_pairs,
                  i64 rows, bool adds, float* sums, i64 sums_stride) {
  constexpr i64 kColumns = kWideVectors * kLanes;
  constexpr i64 kPairs = kMaxExactKeys / 2;
  const auto* panel = static_cast<const typename P::B*>(values);
  alignas(64) std::int32_t tile[kTileRows * kColumns];
  for (i64 begin = 0; begin < num_pairs; begin += kPairs) {
    const i64 pairs = num_pairs - begin < kPairs ? num_pairs - begin : kPairs;
    for (i64 r = 0; r < rows; r += kTileRows) {
      const i64 n = rows - r < kTileRows ? rows - r : kTileRows;
      multiply_rows<P, kTileRows, kWideVectors>(
          n, reinterpret_cast<const char*>(weights + 2 * begin) + r * stride_bytes, stride_bytes,
          panel + 2 * begin * kColumns, pairs, reinterpret_cast<const std::int32_t*>(kNoSums), 0,
          tile, kColumns);
      for (i64 i = 0; i < n * kColumns; i += kLanes) {
        float* sum = sums + (r + i / kColumns) * sums_stride + i % kColumns;
        const F before = begin == 0 && !adds ? F{} : load<F>(sum);
        store(before + __builtin_convertvector(load<I>(tile + i), F), sum);
      }
    }
  }
}

void pack_value_pair(const float* first, const float* second, const float* factors, i64 n,
                     std::int16_t* out) {
  const auto pack = [](F low, F high, F factor) {
    return (bits(low * factor + kRoundingShift) & 0xffff) |
           (bits(high * factor + kRoundingShift) << 16);
  };
  auto* pairs = reinterpret_cast<std::int32_t*>(out);
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F high = second == nullptr ? F{} : load<F>(second + i);
    store(pack(load<F>(first + i), high, load<F>(factors + i)), pairs + i);
  }
  if (i < n) {
    const F high = second == nullptr ? F{} : load_part<F>(second + i, n - i);
    store_part(pack(load_part<F>(first + i, n - i), high, load_part<F>(factors + i, n - i)),
               pairs + i, n - i);
  }
}

void max_magnitudes(const float* x, i64 n, float* most) {
  auto* as_integers = reinterpret_cast<std::int32_t*>(most);
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(max(load<I>(x + i) & 0x7fffffff, load<I>(as_integers + i)), as_integers + i);
  }
  if (i < n) {
    const I magnitude = load_part<I>(x + i, n - i) & 0x7fffffff;
    store_part(max(magnitude, load_part<I>(as_integers + i, n - i)), as_integers + i, n - i);
  }
}

}  // namespace
}  // namespace steno::ops::cpu::STENO_ISA_NAMESPACE
