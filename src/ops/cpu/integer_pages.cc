// Attention over pages of int8: scores and weighted sums in integers, as in integer_attention.h,
// but with a factor for each value, which goes into its softmax weight.
#include <algorithm>
#include <array>
#include <cstring>
#include <numbers>

#include "ops/cpu/kv_pages.h"
#include "ops/cpu/rounding.h"

namespace steno::ops::cpu {

// The scores of a group's rows, and what their integers mean.
struct PagedAttention::IntegerGroup {
  std::array<RowForm, kMaxGroupRows> queries;
  std::int32_t* scores = nullptr;  // [rows][score_stride]
  std::int64_t score_stride = 0;
  std::int16_t* weights = nullptr;  // [rows][weight_stride_bytes], not filled yet
  std::int64_t weight_stride_bytes = 0;
  // By key, over all pages.
  const float* key_factors = nullptr;
  const float* value_factors = nullptr;
  const std::int32_t* key_sums = nullptr;
};

PagedAttention::IntegerGroup PagedAttention::score_integers(const Columns& q, const KvMemory& m,
                                                            std::span<const std::int32_t> pages,
                                                            const Group& group, std::int64_t head,
                                                            Scratch& scratch) const {
  const Product& product = kernels_.int8;
  const std::int64_t rows = group.end - group.begin;
  // The last block of a page may reach behind it, where the next page's scores follow.
  const std::int64_t padded_keys = round_up_to_softmax_block(group.num_keys + kNarrowColumns);
  const std::int64_t query_bytes = row_stride_bytes(m.key_groups() * m.key_group * product.a_bytes);
  const std::int64_t score_bytes =
      row_stride_bytes(padded_keys * std::int64_t{sizeof(std::int32_t)});
  const std::int64_t weight_bytes =
      row_stride_bytes(padded_keys * std::int64_t{sizeof(std::int16_t)});
  std::byte* at = scratch.take_bytes(kMaxGroupRows * (query_bytes + score_bytes + weight_bytes) +
                                     3 * padded_keys * std::int64_t{sizeof(float)});
  IntegerGroup g;
  std::byte* queries = at;
  g.scores = reinterpret_cast<std::int32_t*>(at += kMaxGroupRows * query_bytes);
  g.score_stride = score_bytes / std::int64_t{sizeof(std::int32_t)};
  g.weights = reinterpret_cast<std::int16_t*>(at += kMaxGroupRows * score_bytes);
  g.weight_stride_bytes = weight_bytes;
  auto* factors = reinterpret_cast<float*>(at + kMaxGroupRows * weight_bytes);
  auto* sums = reinterpret_cast<std::int32_t*>(factors + 2 * padded_keys);

  for (std::int64_t r = 0; r < rows; ++r) {
    g.queries[static_cast<std::size_t>(r)] = product.prepare_row(
        q.row(group.begin + r) + head * m.head_dim, m.head_dim, queries + r * query_bytes);
  }
  std::int64_t page = 0;
  for (std::int64_t t = 0; t < group.num_keys; t += m.page_tokens, ++page) {
    const std::int64_t tokens = std::min(m.page_tokens, group.num_keys - t);
    const std::byte* block = m.keys(pages[page], head);
    for (std::int64_t b = 0; b < tokens; b += kNarrowColumns, block += m.block_elements()) {
      product.narrow(queries, query_bytes, block, m.key_groups(), rows, nullptr, 0,
                     g.scores + t + b, g.score_stride);
    }
    if (group.num_keys <= m.page_tokens) break;
    std::copy_n(m.key_factors(pages[page], head), tokens, factors + t);
    std::copy_n(m.value_factors(pages[page], head), tokens, factors + padded_keys + t);
    std::copy_n(m.key_sums(pages[page], head), tokens, sums + t);
  }
  const bool is_one_page = group.num_keys <= m.page_tokens;
  g.key_factors = is_one_page ? m.key_factors(pages[0], head) : factors;
  g.value_factors = is_one_page ? m.value_factors(pages[0], head) : factors + padded_keys;
  g.key_sums = is_one_page ? m.key_sums(pages[0], head) : sums;
  return g;
}

void PagedAttention::attend_integers(const Columns& q, const KvMemory& m,
                                     std::span<const KvSpan> spans, const Group& group,
                                     std::int64_t head, float scale, Scratch& scratch,
                                     float* out) const {
  const std::int64_t rows = group.end - group.begin;
  const std::span<const std::int32_t> pages = spans[group.begin].pages;
  IntegerGroup g = score_integers(q, m, pages, group, head, scratch);
  std::array<float, kMaxGroupRows> factors;
  float largest = 0;  // of the value factors that the row sees
  for (std::int64_t r = 0; r < rows; ++r) {
    RowForm query = g.queries[static_cast<std::size_t>(r)];
    query.factor *= scale * std::numbers::log2e_v<float>;
    const std::int64_t num_keys = spans[group.begin + r].num_keys;
    if (r == 0 || num_keys != spans[group.begin + r - 1].num_keys) {
      largest = kernels_.max_magnitude(g.value_factors, num_keys);
    }
    std::int16_t* weights = g.weights + r * g.weight_stride_bytes / 2;
    const float sum = kernels_.softmax_weights_of_values(
        g.scores + r * g.score_stride, g.key_factors, g.key_sums, query, g.value_factors,
        largest == 0 ? 0.0F : 1.0F / largest, num_keys, weights);
    factors[static_cast<std::size_t>(r)] = largest / sum;
    const std::int64_t written = round_up_to_softmax_block(num_keys);
    if (written < group.num_keys + 1) {
      std::fill(weights + written, weights + group.num_keys + 1, std::int16_t{0});
    }
  }
  for (std::int64_t p = 0; p < m.num_value_panels(); ++p) {
    alignas(64) std::array<float, kMaxGroupRows * kMaxPanelColumns> tile;
    std::int64_t page = 0;
    for (std::int64_t t = 0; t < group.num_keys; t += m.page_tokens, ++page) {
      const std::int64_t tokens = std::min(m.page_tokens, group.num_keys - t);
      kernels_.sum_weighted_int8(g.weights + t, g.weight_stride_bytes,
                                 m.values(pages[page], head) + p * m.value_panel_elements(),
                                 ceil_div(tokens, m.value_group), rows, t > 0, tile.data(),
                                 m.panel_columns);
    }
    const std::int64_t begin = p * m.panel_columns;
    const std::int64_t width = std::min(m.panel_columns, m.head_dim - begin);
    for (std::int64_t r = 0; r < rows; ++r) {
      kernels_.scale(tile.data() + r * m.panel_columns, factors[static_cast<std::size_t>(r)], width,
                     out + ((group.begin + r) * m.num_heads + head) * m.head_dim + begin);
    }
  }
}

void PagedAttention::weigh_integers(const Columns& q, const KvMemory& m,
                                    std::span<const std::int32_t> pages, const Group& group,
                                    std::int64_t head, float scale, Scratch& scratch,
                                    float* out) const {
  const IntegerGroup g = score_integers(q, m, pages, group, head, scratch);
  for (std::int64_t r = 0; r < group.end - group.begin; ++r, out += group.num_keys) {
    const RowForm& query = g.queries[static_cast<std::size_t>(r)];
    std::int32_t* scores = g.scores + r * g.score_stride;
    kernels_.rescale_scores(scores, g.key_factors, g.key_sums, query.zero, group.num_keys);
    std::memcpy(out, scores, static_cast<std::size_t>(group.num_keys) * sizeof(float));
    const float sum = kernels_.exp_row(scale * query.factor, group.num_keys, out);
    kernels_.scale(out, 1.0F / sum, group.num_keys, out);
  }
}

}  // namespace steno::ops::cpu
