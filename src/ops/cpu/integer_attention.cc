#include "ops/cpu/integer_attention.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numbers>
#include <span>

#include "ops/cpu/key_panel.h"
#include "ops/cpu/rounding.h"

namespace steno::ops::cpu {
namespace {

// Query rows of a work unit: their scores over 1,500 keys take 144 KiB, the weights 72 KiB, a
// head's packed keys and values 288 KiB.
constexpr std::int64_t kBlockRows = 24;

}  // namespace

struct IntegerAttention::Shape {
  const Product* product = nullptr;  // of the scores
  std::int64_t num_queries = 0;      // T of one batch item
  std::int64_t num_keys = 0;         // S of one batch item
  std::int64_t num_heads = 0;
  std::int64_t head_dim = 0;  // E
  float scale = 1;
  std::int64_t panel_columns = 0;

  // Keys: panels of panel_columns keys, [E / group][keys][group] each. Values: panels of
  // panel_columns dimensions, [S / 2][dimensions][2] each.
  std::int64_t key_groups() const { return ceil_div(head_dim, product->k_group); }
  std::int64_t num_value_pairs() const { return ceil_div(num_keys, 2); }
  std::int64_t padded_keys() const {
    return round_up(round_up_to_softmax_block(num_keys), panel_columns);
  }
  std::int64_t padded_dim() const { return round_up(head_dim, panel_columns); }
  std::int64_t key_panel_bytes() const {
    return key_groups() * product->k_group * panel_columns * product->b_bytes;
  }
  std::int64_t value_panel_elements() const { return num_value_pairs() * 2 * panel_columns; }
  std::int64_t keys_bytes() const { return padded_keys() / panel_columns * key_panel_bytes(); }
  std::int64_t values_bytes() const {
    return padded_dim() * num_value_pairs() * 2 * std::int64_t{sizeof(std::int16_t)};
  }
  std::int64_t head_bytes() const {
    return round_up(keys_bytes() + values_bytes() + 8 * padded_keys() + 4 * padded_dim(), 64);
  }
};

// Where the parts of a packed head lie.
struct IntegerAttention::Head {
  std::byte* keys;
  std::int16_t* values;
  float* key_factors;
  std::int32_t* key_sums;  // of each key's integers
  float* value_factors;    // by dimension
};

IntegerAttention::Head IntegerAttention::head_at(const Shape& s, std::int64_t head) const {
  std::byte* at = packed_heads_ + head * s.head_bytes();
  Head h{};
  h.keys = at;
  h.values = reinterpret_cast<std::int16_t*>(at += s.keys_bytes());
  h.key_factors = reinterpret_cast<float*>(at += s.values_bytes());
  h.key_sums = reinterpret_cast<std::int32_t*>(at += 4 * s.padded_keys());
  h.value_factors = reinterpret_cast<float*>(at + 4 * s.padded_keys());
  return h;
}

void IntegerAttention::attend(const Columns& q, const Columns& k, const Columns& v,
                              std::int64_t batch, const AttentionOptions& options, float* out) {
  Shape s;
  s.product = &kernels_.int8;
  s.num_queries = batch == 0 ? 0 : q.num_rows() / batch;
  s.num_keys = batch == 0 ? 0 : k.num_rows() / batch;
  s.num_heads = options.num_heads;
  s.head_dim = q.size() / options.num_heads;
  s.scale = options.scale;
  s.panel_columns = kernels_.panel_columns;
  if (s.num_queries == 0) return;

  const std::int64_t num_heads = batch * s.num_heads;
  packed_heads_ = packed_.take_bytes(num_heads * s.head_bytes());
  std::memset(packed_heads_, 0, num_heads * s.head_bytes());
  // Rows are read from their begin to their end, all heads at once: a head's part alone is a few
  // cache lines in each page of memory.
  float* columns = columns_.take_floats(batch * 2 * q.size());
  pool_.parallel_for(batch, 1, [&](std::size_t item, std::size_t, int) {
    measure(s, k, v, static_cast<std::int64_t>(item), columns + item * 2 * q.size());
  });
  const std::int64_t panels = ceil_div(s.num_keys, s.panel_columns);
  pool_.parallel_for(batch * panels, 1, [&](std::size_t unit, std::size_t, int worker) {
    const std::int64_t item = static_cast<std::int64_t>(unit) / panels;
    const std::int64_t first = static_cast<std::int64_t>(unit) % panels * s.panel_columns;
    const std::int64_t last = std::min(first + s.panel_columns, s.num_keys);
    const float* minus_means = columns + item * 2 * q.size();
    pack_keys(s, k, item, first, last, minus_means, workers_[worker]);
    pack_values(s, v, item, first, last, minus_means + q.size());
  });
  const std::int64_t blocks = ceil_div(s.num_queries, kBlockRows);
  pool_.parallel_for(num_heads * blocks, 1, [&](std::size_t unit, std::size_t, int worker) {
    const std::int64_t head = static_cast<std::int64_t>(unit) / blocks;
    const std::int64_t row = static_cast<std::int64_t>(unit) % blocks * kBlockRows;
    attend_rows(s, q, head, row, std::min(row + kBlockRows, s.num_queries), workers_[worker], out);
  });
}

// columns: minus the mean of each column of keys, then the factor to integers of each of values.
void IntegerAttention::measure(const Shape& s, const Columns& k, const Columns& v,
                               std::int64_t item, float* columns) const {
  const std::int64_t size = s.num_heads * s.head_dim;
  const std::int64_t first_row = item * s.num_keys;
  float* means = columns;
  float* factors = columns + size;
  std::fill_n(columns, 2 * size, 0.0F);
  for (std::int64_t t = 0; t < s.num_keys; ++t) {
    kernels_.add(means, k.row(first_row + t), size, means);
    kernels_.max_magnitudes(v.row(first_row + t), size, factors);
  }
  kernels_.scale(means, -1.0F / static_cast<float>(s.num_keys), size, means);
  for (std::int64_t head = 0; head < s.num_heads; ++head) {
    const Head packed = head_at(s, item * s.num_heads + head);
    for (std::int64_t e = 0; e < s.head_dim; ++e) {
      float& factor = factors[head * s.head_dim + e];
      const float most = factor == 0 ? 1.0F : factor;
      packed.value_factors[e] = most / kMaxStoredValue;
      factor = kMaxStoredValue / most;
    }
  }
}

// Keys [first, last) of an item: one panel.
void IntegerAttention::pack_keys(const Shape& s, const Columns& k, std::int64_t item,
                                 std::int64_t first, std::int64_t last, const float* minus_means,
                                 Scratch& scratch) const {
  const std::int64_t size = s.num_heads * s.head_dim;
  float* row = scratch.take_floats(size + s.head_dim);
  auto* narrow = reinterpret_cast<std::int8_t*>(row + size);
  for (std::int64_t t = first; t < last; ++t) {
    kernels_.add(k.row(item * s.num_keys + t), minus_means, size, row);
    for (std::int64_t head = 0; head < s.num_heads; ++head) {
      const Head packed = head_at(s, item * s.num_heads + head);
      const Int8Form form = kernels_.quantise_int8(row + head * s.head_dim, s.head_dim, narrow);
      packed.key_factors[t] = form.factor;
      packed.key_sums[t] = form.sum;
      auto* panel = reinterpret_cast<std::int8_t*>(packed.keys +
                                                   first / s.panel_columns * s.key_panel_bytes());
      store_key(narrow, s.head_dim, s.product->k_group, s.panel_columns, t - first, panel);
    }
  }
}

// Values [first, last) of an item; first is even.
void IntegerAttention::pack_values(const Shape& s, const Columns& v, std::int64_t item,
                                   std::int64_t first, std::int64_t last,
                                   const float* factors) const {
  const std::int64_t first_row = item * s.num_keys;
  for (std::int64_t t = first; t < last; t += 2) {
    const float* one = v.row(first_row + t);
    const float* other = t + 1 < last ? v.row(first_row + t + 1) : nullptr;
    for (std::int64_t head = 0; head < s.num_heads; ++head) {
      std::int16_t* panel = head_at(s, item * s.num_heads + head).values + t * s.panel_columns;
      for (std::int64_t e = 0; e < s.head_dim; e += s.panel_columns) {
        const std::int64_t at = head * s.head_dim + e;
        kernels_.pack_value_pair(one + at, other == nullptr ? nullptr : other + at, factors + at,
                                 std::min(s.panel_columns, s.head_dim - e), panel);
        panel += s.value_panel_elements();
      }
    }
  }
}

void IntegerAttention::attend_rows(const Shape& s, const Columns& q, std::int64_t head_index,
                                   std::int64_t row_begin, std::int64_t row_end, Scratch& scratch,
                                   float* out) const {
  const Head head = head_at(s, head_index);
  const std::int64_t rows = row_end - row_begin;
  const std::int64_t first_row = head_index / s.num_heads * s.num_queries + row_begin;
  const std::int64_t column = head_index % s.num_heads * s.head_dim;

  const std::int64_t query_bytes =
      row_stride_bytes(s.key_groups() * s.product->k_group * s.product->a_bytes);
  const std::int64_t score_bytes =
      row_stride_bytes(s.padded_keys() * std::int64_t{sizeof(std::int32_t)});
  const std::int64_t weight_bytes =
      row_stride_bytes(s.padded_keys() * std::int64_t{sizeof(std::int16_t)});
  std::byte* queries = scratch.take_bytes(kBlockRows * (query_bytes + score_bytes + weight_bytes));
  std::byte* scores = queries + kBlockRows * query_bytes;
  std::byte* weights = scores + kBlockRows * score_bytes;

  std::array<RowForm, kBlockRows> forms;
  for (std::int64_t r = 0; r < rows; ++r) {
    forms[r] = s.product->prepare_row(q.row(first_row + r) + column, s.head_dim,
                                      queries + r * query_bytes);
    forms[r].factor *= s.scale * std::numbers::log2e_v<float>;
  }
  for (std::int64_t key = 0; key < s.num_keys; key += s.panel_columns) {
    s.product->wide(queries, query_bytes, head.keys + key / s.panel_columns * s.key_panel_bytes(),
                    s.key_groups(), rows, nullptr, 0, scores + key * 4,
                    score_bytes / std::int64_t{sizeof(std::int32_t)});
  }
  std::array<float, kBlockRows> factors;
  for (std::int64_t r = 0; r < rows; ++r) {
    auto* row = reinterpret_cast<std::int16_t*>(weights + r * weight_bytes);
    const float sum =
        kernels_.softmax_weights(reinterpret_cast<std::int32_t*>(scores + r * score_bytes),
                                 head.key_factors, head.key_sums, forms[r], s.num_keys, row);
    factors[r] = 1.0F / sum;
  }
  const std::int64_t out_stride = s.num_heads * s.head_dim;
  for (std::int64_t e = 0; e < s.head_dim; e += s.panel_columns) {
    alignas(64) std::array<float, kBlockRows * kMaxPanelColumns> tile;
    kernels_.sum_weighted_int16(reinterpret_cast<const std::int16_t*>(weights), weight_bytes,
                                head.values + e / s.panel_columns * s.value_panel_elements(),
                                s.num_value_pairs(), rows, false, tile.data(), s.panel_columns);
    const std::int64_t width = std::min(s.panel_columns, s.head_dim - e);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* result = out + (first_row + r) * out_stride + column + e;
      kernels_.multiply(tile.data() + r * s.panel_columns, head.value_factors + e, width, result);
      kernels_.scale(result, factors[r], width, result);
    }
  }
}

}  // namespace steno::ops::cpu
