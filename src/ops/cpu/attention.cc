#include "ops/cpu/attention.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "ops/cpu/rounding.h"

namespace steno::ops::cpu {
namespace {

// Query rows of a work unit: their scores over 1,500 keys (144 KiB) and a head's packed keys and
// values (768 KiB in f32) fit an L2 cache of 1 MiB.
constexpr std::int64_t kBlockRows = 24;

std::int64_t operand_stride_bytes(const Product& product, std::int64_t k) {
  return row_stride_bytes((k + product.k_group) * product.a_bytes);
}

// One head's [S, E] out of wider rows.
struct HeadRows {
  const float* data;
  std::int64_t stride;
  std::int64_t count;
  std::int64_t head_dim;
};

// [E / group][columns of keys][group] per panel; what is not written was zeroed.
template <class Element, int kGroup, class Convert>
void pack_keys(const HeadRows& k, std::int64_t columns, Element* out, Convert convert) {
  const std::int64_t panel_elements = ceil_div(k.head_dim, kGroup) * kGroup * columns;
  for (std::int64_t t = 0; t < k.count; ++t) {
    const float* key = k.data + t * k.stride;
    Element* panel = out + t / columns * panel_elements + t % columns * kGroup;
    for (std::int64_t e = 0; e < k.head_dim; ++e) {
      panel[e / kGroup * columns * kGroup + e % kGroup] = convert(key[e]);
    }
  }
}

// [S / group][columns of dimensions][group] per panel; what is not written was zeroed.
template <class Element, int kGroup, class Convert>
void pack_values(const HeadRows& v, std::int64_t columns, Element* out, Convert convert) {
  const std::int64_t panel_elements = ceil_div(v.count, kGroup) * kGroup * columns;
  for (std::int64_t t = 0; t < v.count; ++t) {
    const float* value = v.data + t * v.stride;
    Element* row = out + t / kGroup * columns * kGroup + t % kGroup;
    for (std::int64_t begin = 0; begin < v.head_dim; begin += columns) {
      const std::int64_t width = std::min(columns, v.head_dim - begin);
      for (std::int64_t i = 0; i < width; ++i) row[i * kGroup] = convert(value[begin + i]);
      row += panel_elements;
    }
  }
}

}  // namespace

struct Attention::Shape {
  const Product* product = nullptr;
  std::int64_t num_queries = 0;  // T of one batch item
  std::int64_t num_keys = 0;     // S of one batch item
  std::int64_t num_heads = 0;
  std::int64_t head_dim = 0;  // E
  float scale = 1;
  std::int64_t panel_columns = 0;

  // Keys: panels of panel_columns keys, [E / group][keys][group] each. Values: panels of
  // panel_columns dimensions, [S / group][dimensions][group] each.
  std::int64_t key_groups() const { return ceil_div(head_dim, product->k_group); }
  std::int64_t value_groups() const { return ceil_div(num_keys, product->k_group); }
  std::int64_t key_panels() const { return ceil_div(num_keys, panel_columns); }
  std::int64_t value_panels() const { return ceil_div(head_dim, panel_columns); }
  std::int64_t panel_bytes(std::int64_t groups) const {
    return groups * product->k_group * panel_columns * product->b_bytes;
  }
  std::int64_t keys_bytes() const { return key_panels() * panel_bytes(key_groups()); }
  std::int64_t operand_bytes() const {  // a row of queries, later of softmax weights
    return operand_stride_bytes(*product, std::max(head_dim, num_keys));
  }
  std::int64_t head_bytes() const {
    return keys_bytes() + value_panels() * panel_bytes(value_groups());
  }
};

void Attention::attend(const Columns& q, const Columns& k, const Columns& v, std::int64_t batch,
                       const AttentionOptions& options, ComputeType type, float* out) {
  const bool has_native_bf16 = kernels_.bf16.prepare_row != nullptr && kernels_.bf16.a_bytes == 2;
  Shape s;
  s.product = type != ComputeType::kF32 && has_native_bf16 ? &kernels_.bf16 : &kernels_.f32;
  s.num_queries = batch == 0 ? 0 : q.num_rows() / batch;
  s.num_keys = batch == 0 ? 0 : k.num_rows() / batch;
  s.num_heads = options.num_heads;
  s.head_dim = q.size() / options.num_heads;
  s.scale = options.scale;
  s.panel_columns = kernels_.panel_columns;
  if (s.num_queries == 0) return;

  const std::int64_t num_heads = batch * s.num_heads;
  packed_heads_ = packed_.take_bytes(num_heads * s.head_bytes());
  pool_.parallel_for(num_heads, 1, [&](std::size_t head, std::size_t, int) {
    pack_head(s, k, v, static_cast<std::int64_t>(head));
  });
  const std::int64_t blocks = ceil_div(s.num_queries, kBlockRows);
  pool_.parallel_for(num_heads * blocks, 1, [&](std::size_t unit, std::size_t, int worker) {
    const std::int64_t head = static_cast<std::int64_t>(unit) / blocks;
    const std::int64_t row = static_cast<std::int64_t>(unit) % blocks * kBlockRows;
    attend_rows(s, q, head, row, std::min(row + kBlockRows, s.num_queries), workers_[worker], out);
  });
}

void Attention::pack_head(const Shape& s, const Columns& k, const Columns& v, std::int64_t head) {
  std::byte* keys = packed_heads_ + head * s.head_bytes();
  std::byte* values = keys + s.keys_bytes();
  std::memset(keys, 0, s.head_bytes());
  const std::int64_t first_row = head / s.num_heads * s.num_keys;
  const std::int64_t column = head % s.num_heads * s.head_dim;
  const HeadRows k_rows{k.row(first_row) + column, k.row_stride(), s.num_keys, s.head_dim};
  const HeadRows v_rows{v.row(first_row) + column, v.row_stride(), s.num_keys, s.head_dim};
  if (s.product->b_bytes == 2) {
    pack_keys<std::uint16_t, 2>(k_rows, s.panel_columns, reinterpret_cast<std::uint16_t*>(keys),
                                f32_to_bf16);
    pack_values<std::uint16_t, 2>(v_rows, s.panel_columns, reinterpret_cast<std::uint16_t*>(values),
                                  f32_to_bf16);
  } else {
    const auto same = [](float x) { return x; };
    pack_keys<float, 1>(k_rows, s.panel_columns, reinterpret_cast<float*>(keys), same);
    pack_values<float, 1>(v_rows, s.panel_columns, reinterpret_cast<float*>(values), same);
  }
}

// Where the rows of an operand lie, after it was brought into the product's form if that has one of
// its own.
struct Attention::Operand {
  const void* data;
  std::int64_t stride_bytes;
};

Attention::Operand Attention::prepare(const Product& product, const float* rows,
                                      std::int64_t stride, std::int64_t num_rows, std::int64_t k,
                                      std::byte* memory) {
  if (product.prepare_row == nullptr) {
    return {rows, stride * static_cast<std::int64_t>(sizeof(float))};
  }
  const std::int64_t stride_bytes = operand_stride_bytes(product, k);
  for (std::int64_t r = 0; r < num_rows; ++r) {
    product.prepare_row(rows + r * stride, k, memory + r * stride_bytes);
  }
  return {memory, stride_bytes};
}

void Attention::attend_rows(const Shape& s, const Columns& q, std::int64_t head,
                            std::int64_t row_begin, std::int64_t row_end, Scratch& scratch,
                            float* out) const {
  const Product& product = *s.product;
  const std::int64_t rows = row_end - row_begin;
  const std::int64_t first_row = head / s.num_heads * s.num_queries + row_begin;
  const std::int64_t column = head % s.num_heads * s.head_dim;
  const std::byte* keys = packed_heads_ + head * s.head_bytes();
  const std::byte* values = keys + s.keys_bytes();

  // An odd number of cache lines apart, so that rows do not compete for the same lines.
  const std::int64_t score_stride = (ceil_div(s.key_panels() * s.panel_columns, 16) | 1) * 16;
  float* scores = scratch.take_floats(kBlockRows * score_stride +
                                      kBlockRows * s.operand_bytes() / std::int64_t{sizeof(float)});
  auto* operand_memory = reinterpret_cast<std::byte*>(scores + kBlockRows * score_stride);

  const Operand queries =
      prepare(product, q.row(first_row) + column, q.row_stride(), rows, s.head_dim, operand_memory);
  for (std::int64_t p = 0; p < s.key_panels(); ++p) {  // scores [rows, S]
    product.wide(queries.data, queries.stride_bytes, keys + p * s.panel_bytes(s.key_groups()),
                 s.key_groups(), rows, nullptr, 0, scores + p * s.panel_columns, score_stride);
  }
  std::array<float, kBlockRows> factors;
  for (std::int64_t r = 0; r < rows; ++r) {
    factors[r] = 1.0F / kernels_.exp_row(s.scale, s.num_keys, scores + r * score_stride);
  }
  const Operand weights = prepare(product, scores, score_stride, rows, s.num_keys, operand_memory);
  const std::int64_t out_stride = s.num_heads * s.head_dim;
  for (std::int64_t p = 0; p < s.value_panels(); ++p) {  // [rows, E], a panel of E at a time
    alignas(64) std::array<float, kBlockRows * kMaxPanelColumns> tile;
    product.wide(weights.data, weights.stride_bytes, values + p * s.panel_bytes(s.value_groups()),
                 s.value_groups(), rows, nullptr, 0, tile.data(), s.panel_columns);
    const std::int64_t begin = p * s.panel_columns;
    const std::int64_t width = std::min(s.panel_columns, s.head_dim - begin);
    for (std::int64_t r = 0; r < rows; ++r) {
      float* result = out + (first_row + r) * out_stride + column + begin;
      kernels_.scale(tile.data() + r * s.panel_columns, factors[r], width, result);
    }
  }
}

}  // namespace steno::ops::cpu
