// The inner loops, one table of them per instruction set. kernels.cc is compiled once for each.
//
// Path: cpu_ops, gemm, attention, kv_pages -> here.
// Pointers need no alignment beyond their element's. Sizes are in elements unless the name says
// bytes. Nothing here allocates, throws or uses the standard library: a file compiled for a wider
// instruction set must not emit an inline function that the linker could pick for everybody.
// Threads: all functions are pure.
#pragma once

#include <cstdint>

namespace steno::ops::cpu {

enum class TileActivation { kNone, kGelu, kRelu };

// A row of values in integers: value = factor * (integer - zero).
struct RowForm {
  float factor = 1;
  std::int32_t zero = 0;
};

// What a row of int8 means: value = factor * integer. The factor is 0 for a row of zeros, and not
// finite where the values are not.
struct Int8Form {
  float factor = 0;
  std::int32_t sum = 0;  // of the integers
};

// What becomes of a tile of sums: out = residual + activation(product + bias), where of integers
// product = (sum - zero * column_sum) * factor * column_scale.
struct TileFinish {
  const RowForm* rows = nullptr;              // one a row; read by finish_s32 only
  const float* column_scales = nullptr;       // one a column; read by finish_s32 only
  const std::int32_t* column_sums = nullptr;  // of the panel's integers; read by finish_s32 only
  const float* bias = nullptr;                // one a column
  TileActivation activation = TileActivation::kNone;
  const float* residual = nullptr;  // may be null
  std::int64_t residual_stride = 0;
  float* out = nullptr;
  std::int64_t out_stride = 0;
};

// One arithmetic of the matrix product. A packed panel holds `panel_columns` columns of the second
// factor as [K / k_group][columns][k_group], K padded with zeros: one lane multiplies k_group
// values at once.
struct Product {
  int k_group = 1;
  int a_bytes = 4;  // element sizes of the row operand and of the panel
  int b_bytes = 4;
  bool integer_sums = false;  // sums are int32, else f32

  // A row of x in the operand's form, padded to a multiple of k_group. Null: the operand is x
  // itself.
  RowForm (*prepare_row)(const float* x, std::int64_t k, void* a) = nullptr;

  // c[r][j] = init[r][j] + sum over k of a[r][k] * panel[k][j]. `init_stride` 0 gives all rows the
  // same start; null means zeros. init may be c. wide: Kernels::panel_columns; narrow:
  // kNarrowColumns.
  using Multiply = void (*)(const void* a, std::int64_t a_stride_bytes, const void* panel,
                            std::int64_t num_groups, std::int64_t rows, const void* init,
                            std::int64_t init_stride, void* c, std::int64_t c_stride);
  Multiply wide = nullptr;
  Multiply narrow = nullptr;
};

// What a Fourier transform of N = size samples needs; N a power of two of at least 4.
struct FourierTables {
  std::int64_t size = 0;
  const float* window = nullptr;   // [N]
  const float* cosines = nullptr;  // cos(2 pi k / N), k in [0, N / 2]
  const float* sines = nullptr;
};
inline constexpr int kMaxFrameLanes = 16;

// Two complex arrays of N / 2 rows, and N / 2 + 1 rows of magnitudes.
constexpr std::int64_t magnitude_work_floats(std::int64_t size, std::int64_t lanes) {
  return (2 * size + size / 2 + 1) * lanes;
}

// Keys of the paged attention come in blocks of this many tokens: one AVX-512 register of scores.
inline constexpr int kNarrowColumns = 16;
inline constexpr int kMaxPanelColumns = 64;

// Attention in integers: so many products of a weight and a value fit an int32.
inline constexpr int kMaxSoftmaxWeight = 32767;
inline constexpr int kMaxStoredValue = 511;
inline constexpr int kMaxExactKeys = 128;
inline constexpr int kSoftmaxBlock = 32;
constexpr std::int64_t round_up_to_softmax_block(std::int64_t n) {
  return (n + kSoftmaxBlock - 1) / kSoftmaxBlock * kSoftmaxBlock;
}
static_assert(std::int64_t{kMaxSoftmaxWeight} * kMaxStoredValue * kMaxExactKeys <= INT32_MAX);

struct Kernels {
  int panel_columns;
  Product f32;
  Product bf16;         // both operands rounded to bfloat16
  Product bf16_stored;  // only the panel is bfloat16: keys and values kept in 16 bits
  Product int8;

  void (*finish_f32)(const float* c, std::int64_t c_stride, std::int64_t rows, std::int64_t columns,
                     const TileFinish& finish);
  void (*finish_s32)(const std::int32_t* c, std::int64_t c_stride, std::int64_t rows,
                     std::int64_t columns, const TileFinish& finish);

  void (*layer_norm)(const float* x, const float* gamma, const float* beta, float eps,
                     std::int64_t n, float* out);
  void (*gelu)(const float* x, std::int64_t n, float* out);
  void (*relu)(const float* x, std::int64_t n, float* out);  // NaN stays NaN

  // |Fourier transform| of the first num_frames <= frame_lanes frames -> out [num_frames][N / 2 +
  // 1]. work: magnitude_work_floats().
  int frame_lanes;
  void (*magnitudes)(const FourierTables& tables, const float* const* frames, int num_frames,
                     float* work, float* out);
  void (*add)(const float* a, const float* b, std::int64_t n, float* out);
  void (*multiply)(const float* a, const float* b, std::int64_t n, float* out);  // out may be a
  void (*scale)(const float* x, float factor, std::int64_t n, float* out);

  // One step of an LSTM of n cells. Both shares of the gates are [4][n]: input, forget, cell,
  // output; the step takes their sum. c is updated, h written.
  void (*lstm_cell)(const float* input_gates, const float* recurrent_gates, std::int64_t n,
                    float* c, float* h);

  // x = exp(factor * (x - max x)); returns the sum. Requires n >= 1 and factor > 0.
  float (*exp_row)(float factor, std::int64_t n, float* x);

  // Attention in integers; integer_softmax.h. Softmax weights of one row of n >= 1 scores, each of
  // which counts (score - query.zero * key_sum) * key_factor * query.factor in powers of two: the
  // largest weighs kMaxSoftmaxWeight. Returns their sum. The scores are spent. All arrays have room
  // for whole blocks of kSoftmaxBlock; the weights of those are written, 0 behind the n-th.
  float (*softmax_weights)(std::int32_t* scores, const float* key_factors,
                           const std::int32_t* key_sums, RowForm query, std::int64_t n,
                           std::int16_t* weights);
  // The same for values that have factors of their own: a weight is multiplied with value_factor *
  // value_scale, which is at most 1. Returns the sum of the weights before that.
  float (*softmax_weights_of_values)(std::int32_t* scores, const float* key_factors,
                                     const std::int32_t* key_sums, RowForm query,
                                     const float* value_factors, float value_scale, std::int64_t n,
                                     std::int16_t* weights);
  // In place, as f32: (score - zero * key_sum) * key_factor; whole blocks of kSoftmaxBlock.
  void (*rescale_scores)(std::int32_t* scores, const float* key_factors,
                         const std::int32_t* key_sums, std::int32_t zero, std::int64_t n);
  // sums[r][j] = sum over pairs p of weights[r][2p] * values[p][j][0] + weights[r][2p + 1] *
  // values[p][j][1], for j in [0, panel_columns); added to what is there if `adds`. Requires
  // weights in [0, kMaxSoftmaxWeight] and values in [-kMaxStoredValue, kMaxStoredValue], as int16
  // or int8.
  using SumWeighted = void (*)(const std::int16_t* weights, std::int64_t stride_bytes,
                               const void* values, std::int64_t num_pairs, std::int64_t rows,
                               bool adds, float* sums, std::int64_t sums_stride);
  SumWeighted sum_weighted_int16;
  SumWeighted sum_weighted_int8;
  // out[i] = {first[i], second[i]} * factors[i], rounded; second may be null: zeros.
  void (*pack_value_pair)(const float* first, const float* second, const float* factors,
                          std::int64_t n, std::int16_t* out);
  // most[i] = the larger of most[i] >= 0 and |x[i]|; infinity and NaN are larger than numbers.
  void (*max_magnitudes)(const float* x, std::int64_t n, float* most);

  float (*max_magnitude)(const float* x, std::int64_t n);  // infinity and NaN show
  float (*max)(const float* x, std::int64_t n);            // NaN counts as -inf; -inf when n is 0
  float (*sum_exp)(const float* x, float max, std::int64_t n);  // sum of exp(x - max)
  // The first index whose value is above `bound`, or n.
  std::int64_t (*find_above)(const float* x, float bound, std::int64_t n);

  // f32 from 16 bits and back (to nearest even; NaN stays NaN).
  void (*widen_f16)(const std::uint16_t* x, std::int64_t n, float* out);
  void (*widen_bf16)(const std::uint16_t* x, std::int64_t n, float* out);
  void (*narrow_bf16)(const float* x, std::int64_t n, std::uint16_t* out);

  // x = factor * out within half a factor; out in [-127, 127], ties to even.
  Int8Form (*quantise_int8)(const float* x, std::int64_t n, std::int8_t* out);
};

// The flags say which of the optional instructions the CPU has; only avx512 has a use for them.
namespace v2 {
Kernels make_kernels(bool has_vnni, bool has_bf16);
}
namespace avx2 {
Kernels make_kernels(bool has_vnni, bool has_bf16);
}
namespace avx512 {
Kernels make_kernels(bool has_vnni, bool has_bf16);
}

}  // namespace steno::ops::cpu
