#include "ops/cpu/kv_pages.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "base/check.h"

namespace steno::ops::cpu {
namespace {

// Values stored below which the caller does it alone: waking a thread costs as much.
constexpr std::int64_t kStoreAlone = 16 * 1024;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

KvMemory& memory_of(const KvPages& pages) {
  auto* memory = dynamic_cast<KvMemory*>(pages.memory());
  STENO_CHECK(memory != nullptr, "pages of another backend");
  return *memory;
}

// One row's key and value of one head, already in the pages' element type.
template <class Element, int kKeyGroup = 1, int kValueGroup = 1>
void store_row(const KvMemory& m, const KvSlot& slot, std::int64_t head, const Element* key,
               const Element* value) {
  auto* block = reinterpret_cast<Element*>(m.keys(slot.page, head)) +
                slot.offset / kNarrowColumns * m.block_elements() +
                slot.offset % kNarrowColumns * kKeyGroup;
  std::int64_t e = 0;
  for (; e + kKeyGroup <= m.head_dim; e += kKeyGroup, block += kKeyGroup * kNarrowColumns) {
    std::memcpy(block, key + e, kKeyGroup * sizeof(Element));
  }
  if (e < m.head_dim) {
    for (int i = 0; i < kKeyGroup; ++i) block[i] = e + i < m.head_dim ? key[e + i] : Element{};
  }
  auto* panel = reinterpret_cast<Element*>(m.values(slot.page, head));
  for (std::int64_t p = 0; p < m.num_value_panels(); ++p) {
    const std::int64_t begin = p * m.panel_columns;
    const std::int64_t width = std::min(m.panel_columns, m.head_dim - begin);
    Element* row = panel + p * m.value_panel_elements() +
                   slot.offset / kValueGroup * kValueGroup * m.panel_columns +
                   slot.offset % kValueGroup;
    for (std::int64_t i = 0; i < width; ++i) row[i * kValueGroup] = value[begin + i];
    // The last token of an odd page has no partner: the weight of the next page's first token must
    // meet a zero.
    if (kValueGroup == 1 || slot.offset + 1 != m.page_tokens || slot.offset % 2 != 0) continue;
    for (std::int64_t i = 0; i < m.panel_columns; ++i) row[i * kValueGroup + 1] = Element{};
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
  } else if (m.dtype == DType::kBF16) {
    auto* narrow = reinterpret_cast<std::uint16_t*>(work);
    kernels_.narrow_bf16(key, m.head_dim, narrow);
    kernels_.narrow_bf16(value, m.head_dim, narrow + m.head_dim);
    store_row(m, slot, head, narrow, narrow + m.head_dim);
  } else {
    auto* narrow = reinterpret_cast<std::int8_t*>(work);
    m.key_factors(slot.page, head)[slot.offset] = kernels_.quantise_int8(key, m.head_dim, narrow);
    m.key_sums(slot.page, head)[slot.offset] = std::accumulate(narrow, narrow + m.head_dim, 0);
    const float value_factor = kernels_.quantise_int8(value, m.head_dim, narrow + m.head_dim);
    // Zeros have no scale, and must not set that of the softmax weights.
    const bool is_zero = kernels_.max_magnitude(value, m.head_dim) == 0;
    m.value_factors(slot.page, head)[slot.offset] = is_zero ? 0.0F : value_factor;
    const auto store =
        m.key_group == 4 ? &store_row<std::int8_t, 4, 2> : &store_row<std::int8_t, 2, 2>;
    store(m, slot, head, narrow, narrow + m.head_dim);
  }
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
  // A head's part of a page is one thread's: neighbouring tokens lie in the same cache lines.
  const std::int64_t grain = num_rows * k.size() <= kStoreAlone ? m.num_heads : 1;
  pool_.parallel_for(m.num_heads, grain, [&](std::size_t begin, std::size_t end, int worker) {
    std::byte* work = workers_[worker].take_bytes(2 * m.head_dim * m.element_bytes());
    for (auto head = static_cast<std::int64_t>(begin); head < static_cast<std::int64_t>(end);
         ++head) {
      for (std::int64_t r = 0; r < num_rows; ++r) {
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
