// Dense attention of an encoder in integers: softmax(scale q k^T) v for each head.
//
// Queries and keys are int8 with a scale for each row; the mean key is taken off all keys first,
// which a softmax does not see and which takes the outliers away. Softmax weights have 15 bits,
// values 10 and a sign with a scale for each column (integer_softmax.h). Laid out as the f32 form
// is (attention.h): a head's keys and values packed once, blocks of query rows with all of their
// scores in the L2 cache. Path: cpu_ops -> here -> kernels. Threads: one call at a time; the work
// is spread over its pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/scratch.h"
#include "ops/ops.h"

namespace steno::ops::cpu {

class IntegerAttention {
 public:
  IntegerAttention(const Kernels& kernels, ThreadPool& pool)
      : kernels_(kernels), pool_(pool), workers_(pool.num_threads()) {}

  // q [B * T, D], k and v [B * S, D]; out [B * T, D].
  void attend(const Columns& q, const Columns& k, const Columns& v, std::int64_t batch,
              const AttentionOptions& options, float* out);

 private:
  struct Shape;
  struct Head;
  Head head_at(const Shape& s, std::int64_t head) const;
  void measure(const Shape& s, const Columns& k, const Columns& v, std::int64_t item,
               float* columns) const;
  void pack_keys(const Shape& s, const Columns& k, std::int64_t item, std::int64_t first,
                 std::int64_t last, const float* minus_means, Scratch& scratch) const;
  void pack_values(const Shape& s, const Columns& v, std::int64_t item, std::int64_t first,
                   std::int64_t last, const float* factors) const;
  void attend_rows(const Shape& s, const Columns& q, std::int64_t head, std::int64_t row_begin,
                   std::int64_t row_end, Scratch& scratch, float* out) const;

  const Kernels& kernels_;
  ThreadPool& pool_;
  Scratch columns_;
  Scratch packed_;
  std::byte* packed_heads_ = nullptr;
  std::vector<Scratch> workers_;
};

}  // namespace steno::ops::cpu
