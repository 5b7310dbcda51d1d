// Dense attention of an encoder: softmax(scale q k^T) v for each head.
//
// A head's keys and values are packed once into panels; then blocks of query rows are handed out.
// All scores of a block stay in the L2 cache, so the softmax is the exact one in two passes and
// nothing is rescaled. Path: cpu_ops -> here -> kernels. Threads: one call at a time on an
// Attention; the work is spread over its pool.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/scratch.h"
#include "ops/ops.h"

namespace steno::ops::cpu {

class Attention {
 public:
  Attention(const Kernels& kernels, ThreadPool& pool)
      : kernels_(kernels), pool_(pool), workers_(pool.num_threads()) {}

  // q [B * T, D], k and v [B * S, D]; out [B * T, D].
  void attend(const Columns& q, const Columns& k, const Columns& v, std::int64_t batch,
              const AttentionOptions& options, ComputeType type, float* out);

 private:
  struct Shape;
  struct Operand;
  static Operand prepare(const Product& product, const float* rows, std::int64_t stride,
                         std::int64_t num_rows, std::int64_t k, std::byte* memory);
  void pack_head(const Shape& s, const Columns& k, const Columns& v, std::int64_t head);
  void attend_rows(const Shape& s, const Columns& q, std::int64_t head, std::int64_t row_begin,
                   std::int64_t row_end, Scratch& scratch, float* out) const;

  const Kernels& kernels_;
  ThreadPool& pool_;
  Scratch packed_;
  std::byte* packed_heads_ = nullptr;
  std::vector<Scratch> workers_;
};

}  // namespace steno::ops::cpu
