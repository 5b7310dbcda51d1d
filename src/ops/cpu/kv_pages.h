// Keys and values in pages, and the attention of single rows to them.
//
// A page holds, per head, its keys as blocks of 16 tokens [block][E][16] (the scores of 16 keys
// come out as one vector, without horizontal sums) and its values as panels [E /
// columns][token][columns]: both are panels of the products in kernels.h. In int8 the
// factors of the keys and of the values follow. A head's part of a page is contiguous: it is
// what one work unit reads. Path: cpu_ops -> here -> kernels. Threads: one call at a time on a
// PagedAttention; the work is spread over its pool.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_pool.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/scratch.h"
#include "ops/ops.h"
#include "tensor/tensor.h"

namespace steno::ops::cpu {

struct KvMemory : KvPages::Memory {
  std::int64_t num_heads = 0;
  std::int64_t head_dim = 0;  // E
  std::int64_t page_tokens = 0;
  std::int64_t panel_columns = 0;
  DType dtype = DType::kF32;
  // Keys: blocks of 16 tokens, [E / key_group][16][key_group] each. Values: panels of panel_columns
  // dimensions, [tokens / value_group][dimensions][value_group] each. Groups of 1, but for kI8.
  std::int64_t key_group = 1;
  std::int64_t value_group = 1;
  Tensor data;  // u8

  std::int64_t element_bytes() const { return static_cast<std::int64_t>(size_bytes(dtype)); }
  std::int64_t key_groups() const { return (head_dim + key_group - 1) / key_group; }
  std::int64_t block_elements() const { return key_groups() * key_group * kNarrowColumns; }
  std::int64_t key_elements() const;          // of one head in one page
  std::int64_t value_panel_elements() const;  // of one panel of one head in one page
  std::int64_t num_value_panels() const;
  std::int64_t elements_bytes() const;  // of one head in one page
  std::int64_t head_bytes() const;
  std::int64_t page_bytes() const { return num_heads * head_bytes(); }

  std::byte* keys(std::int64_t page, std::int64_t head) const;
  std::byte* values(std::int64_t page, std::int64_t head) const;

  // kI8 only, [page_tokens] and room for whole blocks of a softmax: what the integers of each token
  // are to be multiplied with, and the sum of each key's integers.
  std::int64_t padded_tokens() const { return round_up_to_softmax_block(page_tokens); }
  float* key_factors(std::int64_t page, std::int64_t head) const;
  float* value_factors(std::int64_t page, std::int64_t head) const;
  std::int32_t* key_sums(std::int64_t page, std::int64_t head) const;
};

// Rows that share one reading of the keys: four passes of the inner loop's six rows.
inline constexpr std::int64_t kMaxGroupRows = 24;

class PagedAttention {
 public:
  PagedAttention(const Kernels& kernels, ThreadPool& pool)
      : kernels_(kernels), pool_(pool), workers_(pool.num_threads()) {}

  KvPages make_pages(int num_pages, int page_tokens, int num_heads, int head_dim,
                     DType dtype) const;
  void store(KvPages& pages, const Columns& k, const Columns& v, std::span<const KvSlot> slots);
  void copy_page(KvPages& pages, int from, int to) const;
  void attend(const Columns& q, const KvPages& pages, std::span<const KvSpan> spans,
              const AttentionOptions& options, float* out);
  // out [heads.size(), R, span.num_keys].
  void weigh(const Columns& q, const KvPages& pages, const KvSpan& span, std::span<const int> heads,
             const AttentionOptions& options, float* out);

 private:
  struct IntegerHead;

  // Rows [begin, end) that see the same pages, so that one reading of the keys serves them all.
  struct Group {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t num_keys = 0;  // of the row that sees most
  };
  static void check(const Columns& q, const KvPages& pages, std::span<const KvSpan> spans,
                    const AttentionOptions& options);
  const Product& product_of(DType dtype) const;  // kF32 or kBF16
  void store_head(const KvMemory& memory, const KvSlot& slot, std::int64_t head, const float* key,
                  const float* value, std::byte* work) const;
  void store_integers(const KvMemory& memory, const Columns& k, const Columns& v,
                      std::span<const KvSlot> slots, std::int64_t begin, std::int64_t end,
                      std::byte* work) const;
  void store_integer_key(const KvMemory& memory, const IntegerHead& head, std::int64_t offset,
                         const float* key, std::int8_t* work) const;
  void find_groups(std::span<const KvSpan> spans);
  // scores[r * stride + t] = q_r . k_t for rows [begin, end) and the first num_keys tokens.
  void score(const Columns& q, const KvMemory& memory, std::span<const std::int32_t> pages,
             const Group& group, std::int64_t head, float* scores, std::int64_t stride) const;
  void attend_group(const Columns& q, const KvMemory& memory, std::span<const KvSpan> spans,
                    const Group& group, std::int64_t head, float scale, Scratch& scratch,
                    float* out) const;

  // The same for kI8; integer_pages.cc.
  struct IntegerGroup;
  IntegerGroup score_integers(const Columns& q, const KvMemory& memory,
                              std::span<const std::int32_t> pages, const Group& group,
                              std::int64_t head, Scratch& scratch) const;
  void attend_integers(const Columns& q, const KvMemory& memory, std::span<const KvSpan> spans,
                       const Group& group, std::int64_t head, float scale, Scratch& scratch,
                       float* out) const;
  void weigh_integers(const Columns& q, const KvMemory& memory, std::span<const std::int32_t> pages,
                      const Group& group, std::int64_t head, float scale, Scratch& scratch,
                      float* out) const;

  const Kernels& kernels_;
  ThreadPool& pool_;
  std::vector<Group> groups_;
  std::vector<Scratch> workers_;
};

}  // namespace steno::ops::cpu
