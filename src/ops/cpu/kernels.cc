// The inner loops, written once, compiled once per instruction set: the build sets
// STENO_ISA_NAMESPACE and the flags.
//
// Path: simd.h, gemm_tile.h -> here -> isa (which picks a table).
// TRAP: no standard library in here, see kernels.h.
#include "ops/cpu/kernels.h"

#include <cstddef>
#include <cstdint>

#include "ops/cpu/gemm_tile.h"
#include "ops/cpu/integer_softmax.h"
#include "ops/cpu/simd.h"
#include "ops/cpu/spectrum.h"

namespace steno::ops::cpu::STENO_ISA_NAMESPACE {
namespace {

// out[i] = function(x[i]...) over rows of any length.
template <class Function>
inline void map(i64 n, float* out, Function function, const float* x) {
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) store(function(load<F>(x + i)), out + i);
  if (i < n) store_part(function(load_part<F>(x + i, n - i)), out + i, n - i);
}

// The sum over a row of function(x[i]); `padding` is what a lane past the end counts as.
template <class Function>
inline float sum_of(i64 n, Function function, const float* x) {
  F a = {};
  F b = {};
  i64 i = 0;
  for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
    a += function(load<F>(x + i));
    b += function(load<F>(x + i + kLanes));
  }
  for (; i + kLanes <= n; i += kLanes) a += function(load<F>(x + i));
  float sum = sum_lanes(a + b);
  if (i < n) {
    const F last = function(load_part<F>(x + i, n - i));
    for (int lane = 0; lane < n - i; ++lane) sum += last[lane];
  }
  return sum;
}

float max_of(const float* x, i64 n) {
  F best = splat(-__builtin_inff());
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) best = max(load<F>(x + i), best);
  float result = max_lanes(best);
  for (; i < n; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

// ---- operands of the products
// ------------------------------------------------------------------------------

// The largest magnitude. As integers: NaN and infinity are larger than every number, so they
// survive.
float max_magnitude(const float* x, i64 n) {
  I best = {};
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) best = max(load<I>(x + i) & 0x7fffffff, best);
  if (i < n) best = max(load_part<I>(x + i, n - i) & 0x7fffffff, best);
  return as_float(max_lanes(best));
}

// q = rint(x * 127 / amax), as CTranslate2 does. A row with NaN or infinity gets a factor that is
// not finite either, so the result shows it.
template <class Element, class Narrow, int kGroup>
float quantise_symmetric(const float* x, i64 k, void* a) {
  const float amax = max_magnitude(x, k);
  const float scale = amax == 0 ? 1.0F : 127.0F / amax;
  auto* out = static_cast<Element*>(a);
  const auto quantise = [scale](F v) {
    // TRAP: product and sum must not become a fused multiply-add, which decides ties by the
    // unrounded product: the comparison stands between them.
    const I shifted = bits(max(splat(-127.0F), v * scale) + kRoundingShift);
    if constexpr (sizeof(Element) == 1) return reinterpret_cast<Narrow>(low_bytes(shifted));
    return __builtin_convertvector((shifted << 24) >> 24, Narrow);
  };
  i64 i = 0;
  for (; i + kLanes <= k; i += kLanes) store(quantise(load<F>(x + i)), out + i);
  if (i < k) {
    const i64 padded = (k - i + kGroup - 1) / kGroup * kGroup;
    store_part(quantise(load_part<F>(x + i, k - i)), out + i, padded);
  }
  return 1.0F / scale;
}

RowForm prepare_int8_pairs(const float* x, i64 k, void* a) {
  return {quantise_symmetric<std::int16_t, H, 2>(x, k, a), 0};
}

#if defined(__AVX512F__)
// The range from the lowest value (at most 0) to the highest (at least 0) on 255 steps, one of
// which is 0: after a GELU the negative half of a symmetric scale would be wasted. TRAP: 0 must be
// a step, or its rounding is added to every sum. NaN and infinity as in quantise_symmetric().
RowForm prepare_uint8(const float* x, i64 k, void* a) {
  I highest = {};
  I lowest = {};  // of -x; as integers, where NaN and infinity are larger than every number
  const auto see = [&](I v) {
    highest = max(v, highest);
    lowest = max(v ^ std::int32_t{INT32_MIN}, lowest);
  };
  i64 i = 0;
  for (; i + kLanes <= k; i += kLanes) see(load<I>(x + i));
  if (i < k) see(load_part<I>(x + i, k - i));
  const float below = as_float(max_lanes(lowest));
  const float range = as_float(max_lanes(highest)) + below;
  const float scale = range == 0 ? 1.0F : 254.0F / range;
  const float zero = range < __builtin_inff() ? __builtin_rintf(below * scale) : 0.0F;
  auto* out = static_cast<std::uint8_t*>(a);
  const auto quantise = [=](F v) {
    const F steps = (v * scale + kRoundingShift) - kRoundingShift;
    return low_bytes(bits(steps + (zero + kRoundingShift)));
  };
  for (i = 0; i + kLanes <= k; i += kLanes) store(quantise(load<F>(x + i)), out + i);
  if (i < k) {
    const i64 padded = (k - i + 3) / 4 * 4;
    store_part(quantise(load_part<F>(x + i, k - i)), out + i, padded);
  }
  return {1.0F / scale, static_cast<std::int32_t>(zero)};
}
#endif

RowForm prepare_bf16_as_f32(const float* x, i64 k, void* a) {
  map(
      k, static_cast<float*>(a), [](F v) { return reinterpret_cast<F>(round_to_bf16(v) << 16); },
      x);
  return {};
}

void widen_bf16_row(const std::uint16_t* x, i64 n, float* out) {
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) store(widen_bf16(load<H>(x + i)), out + i);
  if (i < n) store_part(widen_bf16(load_part<H>(x + i, n - i)), out + i, n - i);
}

void widen_f16_row(const std::uint16_t* x, i64 n, float* out) {
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) store(widen_f16(load<H>(x + i)), out + i);
  if (i < n) store_part(widen_f16(load_part<H>(x + i, n - i)), out + i, n - i);
}

// The last element is followed by zeros up to `padded` >= n.
inline void narrow_bf16_padded(const float* x, i64 n, i64 padded, std::uint16_t* out) {
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store(__builtin_convertvector(round_to_bf16(load<F>(x + i)), H), out + i);
  }
  if (i < padded) {
    store_part(__builtin_convertvector(round_to_bf16(load_part<F>(x + i, n - i)), H), out + i,
               padded - i);
  }
}

void narrow_bf16_row(const float* x, i64 n, std::uint16_t* out) {
  narrow_bf16_padded(x, n, n, out);
}

Int8Form quantise_int8(const float* x, i64 n, std::int8_t* out) {
  Int8Form form{quantise_symmetric<std::int8_t, S8, 1>(x, n, out), 0};
  std::int32_t any = 0;
  for (i64 i = 0; i < n; ++i) {
    form.sum += out[i];
    any |= out[i];
  }
  // A row that is not zero has a largest value, which became 127 or -127.
  if (any == 0 && form.factor == 1) form.factor = 0;
  return form;
}

#if defined(__AVX512F__)
RowForm prepare_bf16(const float* x, i64 k, void* a) {
  narrow_bf16_padded(x, k, (k + 1) / 2 * 2, static_cast<std::uint16_t*>(a));
  return {};
}
#endif

// ---- results of the products
// -------------------------------------------------------------------------------

// One row of a tile; `dequantised(i, n)` gives the product's lanes, n of them when fewer than
// kLanes.
template <TileActivation kActivation>
inline F activate(F x) {
  if constexpr (kActivation == TileActivation::kGelu) return gelu(x);
  if constexpr (kActivation == TileActivation::kRelu) return relu(x);
  return x;
}

template <TileActivation kActivation, class Sum, class Dequantise>
inline void finish_row(const Sum* c, i64 columns, const TileFinish& finish, const float* residual,
                       float* out, Dequantise dequantise) {
  const auto value = [&](F product, F bias, F rest) {
    return activate<kActivation>(product + bias) + rest;
  };
  i64 i = 0;
  for (; i + kLanes <= columns; i += kLanes) {
    const F rest = residual == nullptr ? F{} : load<F>(residual + i);
    const F product = dequantise(c + i, kLanes, i);
    store(value(product, load<F>(finish.bias + i), rest), out + i);
  }
  if (i < columns) {
    const i64 n = columns - i;
    const F rest = residual == nullptr ? F{} : load_part<F>(residual + i, n);
    const F product = dequantise(c + i, n, i);
    store_part(value(product, load_part<F>(finish.bias + i, n), rest), out + i, n);
  }
}

template <class Vector, class T>
inline Vector load_lanes(const T* p, i64 n) {
  return n == kLanes ? load<Vector>(p) : load_part<Vector>(p, n);
}
template <class Vector, class T>
inline void store_lanes(Vector v, T* p, i64 n) {
  if (n == kLanes) {
    store(v, p);
  } else {
    store_part(v, p, n);
  }
}

template <TileActivation kActivation>
void finish_rows_f32(const float* c, i64 c_stride, i64 rows, i64 columns, const TileFinish& f) {
  for (i64 r = 0; r < rows; ++r) {
    const float* residual = f.residual == nullptr ? nullptr : f.residual + r * f.residual_stride;
    finish_row<kActivation>(c + r * c_stride, columns, f, residual, f.out + r * f.out_stride,
                            [](const float* sums, i64 n, i64) { return load_lanes<F>(sums, n); });
  }
}

template <TileActivation kActivation>
void finish_rows_s32(const std::int32_t* c, i64 c_stride, i64 rows, i64 columns,
                     const TileFinish& f) {
  for (i64 r = 0; r < rows; ++r) {
    const float* residual = f.residual == nullptr ? nullptr : f.residual + r * f.residual_stride;
    const RowForm form = f.rows[r];
    finish_row<kActivation>(c + r * c_stride, columns, f, residual, f.out + r * f.out_stride,
                            [&](const std::int32_t* sums, i64 n, i64 column) {
                              const I product =
                                  load_lanes<I>(sums, n) -
                                  load_lanes<I>(f.column_sums + column, n) * form.zero;
                              return __builtin_convertvector(product, F) * form.factor *
                                     load_lanes<F>(f.column_scales + column, n);
                            });
  }
}

void finish_f32(const float* c, i64 c_stride, i64 rows, i64 columns, const TileFinish& f) {
  constexpr decltype(&finish_f32) kForms[] = {finish_rows_f32<TileActivation::kNone>,
                                              finish_rows_f32<TileActivation::kGelu>,
                                              finish_rows_f32<TileActivation::kRelu>};
  kForms[static_cast<int>(f.activation)](c, c_stride, rows, columns, f);
}

void finish_s32(const std::int32_t* c, i64 c_stride, i64 rows, i64 columns, const TileFinish& f) {
  constexpr decltype(&finish_s32) kForms[] = {finish_rows_s32<TileActivation::kNone>,
                                              finish_rows_s32<TileActivation::kGelu>,
                                              finish_rows_s32<TileActivation::kRelu>};
  kForms[static_cast<int>(f.activation)](c, c_stride, rows, columns, f);
}

// ---- rows
// --------------------------------------------------------------------------------------------------

void layer_norm(const float* x, const float* gamma, const float* beta, float eps, i64 n,
                float* out) {
  const float count = static_cast<float>(n);
  const float mean = sum_of(
                         n, [](F v) { return v; }, x) /
                     count;
  const float variance = sum_of(
                             n, [mean](F v) { return (v - mean) * (v - mean); }, x) /
                         count;
  const float factor = 1.0F / __builtin_sqrtf(variance + eps);
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    store((load<F>(x + i) - mean) * factor * load<F>(gamma + i) + load<F>(beta + i), out + i);
  }
  for (; i < n; ++i) out[i] = (x[i] - mean) * factor * gamma[i] + beta[i];
}

void gelu_row(const float* x, i64 n, float* out) {
  map(
      n, out, [](F v) { return gelu(v); }, x);
}

void relu_row(const float* x, i64 n, float* out) {
  map(
      n, out, [](F v) { return relu(v); }, x);
}

void lstm_cell(const float* input_gates, const float* recurrent_gates, i64 n, float* c, float* h) {
  for (i64 i = 0; i < n; i += kLanes) {
    const i64 count = n - i < kLanes ? n - i : kLanes;
    const auto gate = [&](i64 g) {
      return load_lanes<F>(input_gates + g * n + i, count) +
             load_lanes<F>(recurrent_gates + g * n + i, count);
    };
    const F cell =
        sigmoid(gate(1)) * load_lanes<F>(c + i, count) + sigmoid(gate(0)) * tanh(gate(2));
    const F hidden = sigmoid(gate(3)) * tanh(cell);
    store_lanes(cell, c + i, count);
    store_lanes(hidden, h + i, count);
  }
}

void add(const float* a, const float* b, i64 n, float* out) {
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) store(load<F>(a + i) + load<F>(b + i), out + i);
  for (; i < n; ++i) out[i] = a[i] + b[i];
}

void multiply_row(const float* a, const float* b, i64 n, float* out) {
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) store(load<F>(a + i) * load<F>(b + i), out + i);
  for (; i < n; ++i) out[i] = a[i] * b[i];
}

void scale(const float* x, float factor, i64 n, float* out) {
  map(
      n, out, [factor](F v) { return v * factor; }, x);
}

float exp_row(float factor, i64 n, float* x) {
  const float shift = max_of(x, n);
  F sum = {};
  i64 i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const F e = exp((load<F>(x + i) - shift) * factor);
    store(e, x + i);
    sum += e;
  }
  float total = sum_lanes(sum);
  if (i < n) {
    const F e = exp((load_part<F>(x + i, n - i) - shift) * factor);
    store_part(e, x + i, n - i);
    for (int lane = 0; lane < n - i; ++lane) total += e[lane];
  }
  return total;
}

float sum_exp(const float* x, float shift, i64 n) {
  return sum_of(
      n, [shift](F v) { return exp(v - shift); }, x);
}

inline bool any(I mask) {
  std::int32_t found = 0;
  for (int lane = 0; lane < kLanes; ++lane) found |= mask[lane];
  return found != 0;
}

i64 find_above(const float* x, float bound, i64 n) {
  i64 i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
    I found = load<F>(x + i) > bound;
    for (int v = 1; v < 4; ++v) found |= load<F>(x + i + v * kLanes) > bound;
    if (any(found)) break;
  }
  while (i < n && !(x[i] > bound)) ++i;
  return i;
}

template <class P>
constexpr Product product_of(RowForm (*prepare_row)(const float*, i64, void*)) {
  Product p;
  p.k_group = P::kGroup;
  p.a_bytes = sizeof(typename P::A);
  p.b_bytes = sizeof(typename P::B);
  p.integer_sums = sizeof(typename P::A) < 4 && sizeof(typename P::B) == 1;
  p.prepare_row = prepare_row;
  p.wide = multiply<P, kWideVectors>;
  p.narrow = multiply<P, kNarrowColumns / kLanes>;
  return p;
}

}  // namespace

Kernels make_kernels(bool has_vnni, bool has_bf16) {
  Kernels k{};
  k.panel_columns = kWideVectors * kLanes;
  k.f32 = product_of<ProductF32>(nullptr);
  k.bf16 = product_of<ProductBf16Stored>(prepare_bf16_as_f32);
  k.bf16_stored = product_of<ProductBf16Stored>(nullptr);
  k.int8 = product_of<ProductInt8Pairs>(prepare_int8_pairs);
  k.finish_f32 = finish_f32;
  k.finish_s32 = finish_s32;
  k.layer_norm = layer_norm;
  k.gelu = gelu_row;
  k.relu = relu_row;
  k.frame_lanes = kLanes;
  k.magnitudes = magnitudes;
  k.lstm_cell = lstm_cell;
  k.add = add;
  k.multiply = multiply_row;
  k.scale = scale;
  k.exp_row = exp_row;
  k.softmax_weights = softmax_weights;
  k.softmax_weights_of_values = softmax_weights_of_values;
  k.rescale_scores = rescale_scores;
  k.sum_weighted_int16 = sum_weighted<ProductInt16>;
  k.sum_weighted_int8 = sum_weighted<ProductInt8Pairs>;
  k.pack_value_pair = pack_value_pair;
  k.max_magnitudes = max_magnitudes;
  k.max_magnitude = max_magnitude;
  k.max = max_of;
  k.sum_exp = sum_exp;
  k.find_above = find_above;
  k.widen_f16 = widen_f16_row;
  k.widen_bf16 = widen_bf16_row;
  k.narrow_bf16 = narrow_bf16_row;
  k.quantise_int8 = quantise_int8;
#if defined(__AVX512F__)
  if (has_vnni) {
    k.int8 = product_of<ProductInt8Vnni>(prepare_uint8);
    k.sum_weighted_int16 = sum_weighted<WithVnni<ProductInt16>>;
    k.sum_weighted_int8 = sum_weighted<WithVnni<ProductInt8Pairs>>;
  }
  if (has_bf16) k.bf16 = product_of<ProductBf16Native>(prepare_bf16);
#else
  static_cast<void>(has_vnni && has_bf16);
#endif
  return k;
}

}  // namespace steno::ops::cpu::STENO_ISA_NAMESPACE
