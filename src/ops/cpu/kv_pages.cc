#include "ops/cpu/kv_pages.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/check.h"
#include "ops/cpu/key_panel.h"
#include "ops/cpu/rounding.h"

namespace steno::ops::cpu {
namespace {

// Values stored below which the caller does it alone: waking a thread costs as much.
constexpr std::int64_t kStoreAlone = 16 * 1024;

KvMemory& memory_of(const KvPages& pages) {
  auto* memory = dynamic_cast<KvMemory*>(pages.memory());
  STENO_CHECK(memory != nullptr, "pages of another backend");
  return *memory;
}

// One row's key and value of one head, already in the pages' element type: f32 or bfloat16.
template <class Element>
void store_row(const KvMemory& m, const KvSlot& slot, std::int64_t head, const Element* key,
               const Element* value) {
  auto* block = reinterpret_cast<Element*>(m.keys(slot.page, head)) +
                slot.offset / kNarrowColumns * m.block_elements() + slot.offset % kNarrowColumns;
  for (std::int64_t e = 0; e < m.head_dim; ++e) block[e * kNarrowColumns] = key[e];
  auto* panel = reinterpret_cast<Element*>(m.values(slot.page, head));
  for (std::int64_t p = 0; p < m.num_value_panels(); ++p) {
    const std::int64_t begin = p * m.panel_columns;
    Element* row = panel + p * m.value_panel_elements() + slot.offset * m.panel_columns;
    std::copy_n(value + begin, std::min(m.panel_columns, m.head_dim - begin), row);
  }
}

// The values of one token: every other byte of its pair's.
void store_value(const KvMemory& m, std::int64_t offset, const std::int8_t* value,
                 std::int8_t* panel) {
  for (std::int64_t begin = 0; begin < m.head_dim; begin += m.panel_columns) {
    std::int8_t* row = panel + offset / 2 * 2 * m.panel_columns + offset % 2;
    const std::int64_t width = std::min(m.panel_columns, m.head_dim - begin);
    for (std::int64_t i = 0; i < width; ++i) row[2 * i] = value[begin + i];
    panel += m.value_panel_elements();
    // The last token of an odd page has no partner: the weight of the next page's first token must
    // meet a zero.
    if (offset + 1 != m.page_tokens || offset % 2 != 0) continue;
    for (std::int64_t i = 0; i < m.panel_columns; ++i) row[2 * i + 1] = 0;
  }
}

// The values of two tokens, the first of an even offset.
void store_value_pair(const KvMemory& m, std::int64_t offset, const std::int8_t* first,
                      const std::int8_t* second, std::int8_t* panel) {
  for (std::int64_t begin = 0; begin < m.head_dim; begin += m.panel_columns) {
    std::int8_t* row = panel + offset * m.panel_columns;
    const std::int64_t width = std::min(m.panel_columns, m.head_dim - begin);
    for (std::int64_t i = 0; i < width; ++i) {
      row[2 * i] = first[begin + i];
      row[2 * i + 1] = second[begin + i];
    }
    panel += m.value_panel_elements();
  }
}

// Of a row of scores. The last block of a page may be written past the page's end, where the next
// page overwrites it.
std::int64_t score_stride(std::int64_t num_keys) {
  return (ceil_div(num_keys + kNarrowColumns, 16) | 1) * 16;
}

bool same_pages(const KvSpan& a, const KvSpan& b) {
  return a.pages.size() == b.pages.size() &&
         (a.pages.data() == b.pages.data() ||
          std::equal(a.pages.begin(), a.pages.end(), b.pages.begin()));
}

}  // namespace

// A head's part of a page of int8.
struct PagedAttention::IntegerHead {
  IntegerHead(const KvMemory& m, std::int64_t page, std::int64_t head)
      : keys(reinterpret_cast<std::int8_t*>(m.keys(page, head))),
        values(keys + m.key_elements()),
        key_factors(m.key_factors(page, head)),
        value_factors(key_factors + m.padded_tokens()),
        key_sums(reinterpret_cast<std::int32_t*>(value_factors + m.padded_tokens())) {}

  std::int8_t* keys;
  std::int8_t* values;
  float* key_factors;
  float* value_factors;
  std::int32_t* key_sums;
};

std::int64_t KvMemory::key_elements() const {
  return ceil_div(page_tokens, kNarrowColumns) * block_elements();
}
std::int64_t KvMemory::value_panel_elements() const {
  return ceil_div(page_tokens, value_group) * value_group * panel_columns;
}
std::int64_t KvMemory::num_value_panels() const {
  return ceil_div(head_dim, panel_columns);
}
std::int64_t KvMemory::elements_bytes() const {
  return (key_elements() + num_value_panels() * value_panel_elements()) * element_bytes();
}
std::int64_t KvMemory::head_bytes() const {
  const std::int64_t num_factors = dtype == DType::kI8 ? 3 * padded_tokens() : 0;
  return ceil_div(elements_bytes(), 64) * 64 + num_factors * std::int64_t{sizeof(float)};
}
std::byte* KvMemory::keys(std::int64_t page, std::int64_t head) const {
  auto* start = const_cast<std::byte*>(static_cast<const std::byte*>(data.raw()));
  return start + page * page_bytes() + head * head_bytes();
}
std::byte* KvMemory::values(std::int64_t page, std::int64_t head) const {
  return keys(page, head) + key_elements() * element_bytes();
}
float* KvMemory::key_factors(std::int64_t page, std::int64_t head) const {
  return reinterpret_cast<float*>(keys(page, head) + ceil_div(elements_bytes(), 64) * 64);
}
float* KvMemory::value_factors(std::int64_t page, std::int64_t head) const {
  return key_factors(page, head) + padded_tokens();
}
std::int32_t* KvMemory::key_sums(std::int64_t page, std::int64_t head) const {
  return reinterpret_cast<std::int32_t*>(value_factors(page, head) + padded_tokens());
}

KvPages PagedAttention::make_pages(int num_pages, int page_tokens, int num_heads, int head_dim,
                                   DType dtype) const {
  STENO_CHECK(dtype == DType::kF32 || dtype == DType::kBF16 || dtype == DType::kI8, "pages of {}",
              name(dtype));
  STENO_CHECK(num_pages >= 0 && page_tokens >= 1 && num_heads >= 1 && head_dim >= 1,
              "{} pages of {} tokens, {} heads of {}", num_pages, page_tokens, num_heads, head_dim);
  auto memory = std::make_shared<KvMemory>();
  memory->num_heads = num_heads;
  memory->head_dim = head_dim;
  memory->page_tokens = page_tokens;
  memory->panel_columns = kernels_.panel_columns;
  memory->dtype = dtype;
  if (dtype == DType::kI8) {
    memory->key_group = kernels_.int8.k_group;
    memory->value_group = 2;
  }
  memory->data = Tensor::make({num_pages * memory->page_bytes()}, DType::kU8);
  return KvPages(num_pages, page_tokens, std::move(memory));
}

// `work`: a key and a value in the pages' element type.
void PagedAttention::store_head(const KvMemory& m, const KvSlot& slot, std::int64_t head,
                                const float* key, const float* value, std::byte* work) const {
  if (m.dtype == DType::kF32) {
    store_row(m, slot, head, key, value);
  } else {
    auto* narrow = reinterpret_cast<std::uint16_t*>(work);
    kernels_.narrow_bf16(key, m.head_dim, narrow);
    kernels_.narrow_bf16(value, m.head_dim, narrow + m.head_dim);
    store_row(m, slot, head, narrow, narrow + m.head_dim);
  }
}

// `work`: two values in int8. Rows whose slots follow one another share the pages' cache lines.
void PagedAttention::store_integers(const KvMemory& m, const Columns& k, const Columns& v,
                                    std::span<const KvSlot> slots, std::int64_t begin,
                                    std::int64_t end, std::byte* work) const {
  auto* first = reinterpret_cast<std::int8_t*>(work);
  std::int8_t* second = first + m.head_dim;
  for (std::int64_t r = begin; r < end; ++r) {
    const KvSlot slot = slots[r];
    const std::int64_t at = slot.offset;
    const bool has_partner = at % 2 == 0 && r + 1 < end && slots[r + 1].page == slot.page &&
                             slots[r + 1].offset == at + 1;
    for (std::int64_t head = 0; head < m.num_heads; ++head) {
      const IntegerHead h(m, slot.page, head);
      const std::int64_t column = head * m.head_dim;
      store_integer_key(m, h, at, k.row(r) + column, first);
      if (has_partner) store_integer_key(m, h, at + 1, k.row(r + 1) + column, first);
      h.value_factors[at] = kernels_.quantise_int8(v.row(r) + column, m.head_dim, first).factor;
      if (has_partner) {
        h.value_factors[at + 1] =
            kernels_.quantise_int8(v.row(r + 1) + column, m.head_dim, second).factor;
        store_value_pair(m, at, first, second, h.values);
      } else {
        store_value(m, at, first, h.values);
      }
    }
    if (has_partner) ++r;
  }
}

void PagedAttention::store_integer_key(const KvMemory& m, const IntegerHead& h, std::int64_t offset,
                                       const float* key, std::int8_t* work) const {
  const Int8Form form = kernels_.quantise_int8(key, m.head_dim, work);
  h.key_factors[offset] = form.factor;
  h.key_sums[offset] = form.sum;
  store_key(work, m.head_dim, m.key_group, kNarrowColumns, offset % kNarrowColumns,
            h.keys + offset / kNarrowColumns * m.block_elements());
}

void PagedAttention::store(KvPages& pages, const Columns& k, const Columns& v,
                           std::span<const KvSlot> slots) {
  const KvMemory& m = memory_of(pages);
  const auto num_rows = static_cast<std::int64_t>(slots.size());
  STENO_CHECK(k.size() == m.num_heads * m.head_dim && v.size() == k.size(), "{} and {} columns",
              k.size(), v.size());
  STENO_CHECK(k.num_rows() == num_rows && v.num_rows() == num_rows, "{} keys, {} values, {} slots",
              k.num_rows(), v.num_rows(), num_rows);
  for (const KvSlot& slot : slots) {
    STENO_CHECK(slot.page >= 0 && slot.page < pages.num_pages() && slot.offset >= 0 &&
                    slot.offset < m.page_tokens,
                "page {} offset {}", slot.page, slot.offset);
  }
  // Blocks of tokens, not heads, are handed out: a row is read once, from its begin to its end.
  const std::int64_t grain = num_rows * k.size() <= kStoreAlone ? num_rows : kNarrowColumns;
  pool_.parallel_for(num_rows, grain, [&](std::size_t begin, std::size_t end, int worker) {
    std::byte* work = workers_[worker].take_bytes(2 * m.head_dim * m.element_bytes());
    const auto first = static_cast<std::int64_t>(begin);
    const auto last = static_cast<std::int64_t>(end);
    if (m.dtype == DType::kI8) {
      store_integers(m, k, v, slots, first, last, work);
      return;
    }
    for (std::int64_t r = first; r < last; ++r) {
      for (std::int64_t head = 0; head < m.num_heads; ++head) {
        store_head(m, slots[r], head, k.row(r) + head * m.head_dim, v.row(r) + head * m.head_dim,
                   work);
      }
    }
  });
}

void PagedAttention::copy_page(KvPages& pages, int from, int to) const {
  STENO_CHECK(from >= 0 && from < pages.num_pages() && to >= 0 && to < pages.num_pages(),
              "page {} to {} of {}", from, to, pages.num_pages());
  const KvMemory& m = memory_of(pages);
  if (from != to) std::memcpy(m.keys(to, 0), m.keys(from, 0), m.page_bytes());
}

void PagedAttention::find_groups(std::span<const KvSpan> spans) {
  groups_.clear();
  for (std::int64_t r = 0; r < std::ssize(spans); ++r) {
    const bool joins = !groups_.empty() && r - groups_.back().begin < kMaxGroupRows &&
                       same_pages(spans[r - 1], spans[r]);
    if (!joins) groups_.push_back({.begin = r, .end = r, .num_keys = 0});
    groups_.back().end = r + 1;
    groups_.back().num_keys = std::max<std::int64_t>(groups_.back().num_keys, spans[r].num_keys);
  }
}

void PagedAttention::check(const Columns& q, const KvPages& pages, std::span<const KvSpan> spans,
                           const AttentionOptions& options) {
  const KvMemory& m = memory_of(pages);
  STENO_CHECK(options.num_heads == m.num_heads && q.size() == m.num_heads * m.head_dim,
              "{} heads, {} columns; pages of {} heads of {}", options.num_heads, q.size(),
              m.num_heads, m.head_dim);
  for (const KvSpan& span : spans) {
    STENO_CHECK(span.num_keys >= 1 && span.num_keys <= std::ssize(span.pages) * m.page_tokens,
                "{} keys in {} pages of {}", span.num_keys, span.pages.size(), m.page_tokens);
    for (const std::int32_t page : span.pages) {
      STENO_CHECK(page >= 0 && page < pages.num_pages(), "page {} of {}", page, pages.num_pages());
    }
  }
}

void PagedAttention::attend(const Columns& q, const KvPages& pages, std::span<const KvSpan> spans,
                            const AttentionOptions& options, float* out) {
  check(q, pages, spans, options);
  STENO_CHECK(q.num_rows() == std::ssize(spans), "{} rows, {} spans", q.num_rows(), spans.size());
  const KvMemory& m = memory_of(pages);
  find_groups(spans);
  pool_.parallel_for(
      groups_.size() * m.num_heads, 1, [&](std::size_t unit, std::size_t, int worker) {
        const Group& group = groups_[unit / m.num_heads];
        const auto head = static_cast<std::int64_t>(unit % m.num_heads);
        const auto attend = m.dtype == DType::kI8 ? &PagedAttention::attend_integers
                                                  : &PagedAttention::attend_group;
        (this->*attend)(q, m, spans, group, head, options.scale, workers_[worker], out);
      });
}

void PagedAttention::score(const Columns& q, const KvMemory& m, std::span<const std::int32_t> pages,
                           const Group& group, std::int64_t head, float* scores,
                           std::int64_t stride) const {
  const Product& product = product_of(m.dtype);
  const float* queries = q.row(group.begin) + head * m.head_dim;
  const std::int64_t query_stride_bytes = q.row_stride() * std::int64_t{sizeof(float)};
  std::int64_t page = 0;
  for (std::int64_t t = 0; t < group.num_keys; t += m.page_tokens, ++page) {
    const std::int64_t tokens = std::min(m.page_tokens, group.num_keys - t);
    const std::byte* block = m.keys(pages[page], head);
    for (std::int64_t b = 0; b < tokens; b += kNarrowColumns) {
      product.narrow(queries, query_stride_bytes, block, m.head_dim, group.end - group.begin,
                     nullptr, 0, scores + t + b, stride);
      block += m.block_elements() * m.element_bytes();
    }
  }
}

void PagedAttention::weigh(const Columns& q, const KvPages& pages, const KvSpan& span,
                           std::span<const int> heads, const AttentionOptions& options,
                           float* out) {
  check(q, pages, {&span, 1}, options);
  const KvMemory& m = memory_of(pages);
  for (const int head : heads) {
    STENO_CHECK(head >= 0 && head < m.num_heads, "head {} of {}", head, m.num_heads);
  }
  const std::int64_t num_rows = q.num_rows();
  const std::int64_t stride = score_stride(span.num_keys);
  const auto num_groups = static_cast<std::size_t>(ceil_div(num_rows, kMaxGroupRows));
  pool_.parallel_for(heads.size() * num_groups, 1, [&](std::size_t unit, std::size_t, int worker) {
    const std::size_t i = unit / num_groups;
    const auto begin = static_cast<std::int64_t>(unit % num_groups) * kMaxGroupRows;
    const Group group{begin, std::min(begin + kMaxGroupRows, num_rows), span.num_keys};
    float* result = out + (static_cast<std::int64_t>(i) * num_rows + begin) * span.num_keys;
    if (m.dtype == DType::kI8) {
      weigh_integers(q, m, span.pages, group, heads[i], options.scale, workers_[worker], result);
      return;
    }
    float* scores = workers_[worker].take_floats(kMaxGroupRows * stride);
    score(q, m, span.pages, group, heads[i], scores, stride);
    for (std::int64_t r = begin; r < group.end; ++r, scores += stride, result += span.num_keys) {
      const float factor = 1.0F / kernels_.exp_row(options.scale, span.num_keys, scores);
      kernels_.scale(scores, factor, span.num_keys, result);
    }
  });
}

const Product& PagedAttention::product_of(DType dtype) const {
  return dtype == DType::kBF16 ? kernels_.bf16_stored : kernels_.f32;
}

void PagedAttention::attend_group(const Columns& q, const KvMemory& m,
                                  std::span<const KvSpan> spans, const Group& group,
                                  std::int64_t head, float scale, Scratch& scratch,
                                  float* out) const {
  const Product& product = product_of(m.dtype);
  const std::int64_t rows = group.end - group.begin;
  const std::span<const std::int32_t> pages = spans[group.begin].pages;
  const std::int64_t stride = score_stride(group.num_keys);
  const std::int64_t stride_bytes = stride * std::int64_t{sizeof(float)};
  float* scores =
      scratch.take_floats(kMaxGroupRows * (stride + m.num_value_panels() * m.panel_columns));
  float* sums = scores + kMaxGroupRows * stride;

  score(q, m, pages, group, head, scores, stride);  // [rows, keys]
  std::array<float, kMaxGroupRows> factors;
  for (std::int64_t r = 0; r < rows; ++r) {
    float* row = scores + r * stride;
    const std::int64_t num_keys = spans[group.begin + r].num_keys;
    factors[r] = 1.0F / kernels_.exp_row(scale, num_keys, row);
    std::fill(row + num_keys, row + group.num_keys, 0.0F);
  }
  std::int64_t page = 0;
  for (std::int64_t t = 0; t < group.num_keys;
       t += m.page_tokens, ++page) {  // sums [panel][rows, columns]
    const std::int64_t tokens = std::min(m.page_tokens, group.num_keys - t);
    const std::byte* panel = m.values(pages[page], head);
    for (std::int64_t p = 0; p < m.num_value_panels(); ++p) {
      float* tile = sums + p * kMaxGroupRows * m.panel_columns;
      product.wide(scores + t, stride_bytes, panel, tokens, rows, t == 0 ? nullptr : tile,
                   m.panel_columns, tile, m.panel_columns);
      panel += m.value_panel_elements() * m.element_bytes();
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    float* result = out + (group.begin + r) * m.num_heads * m.head_dim + head * m.head_dim;
    for (std::int64_t p = 0; p < m.num_value_panels(); ++p) {
      const std::int64_t begin = p * m.panel_columns;
      kernels_.scale(sums + (p * kMaxGroupRows + r) * m.panel_columns, factors[r],
                     std::min(m.panel_columns, m.head_dim - begin), result + begin);
    }
  }
}

}  // namespace steno::ops::cpu
