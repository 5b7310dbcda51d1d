// The CPU backend: ops.h in terms of the kernels of one instruction set and a pool of threads.
//
// Path: models -> ops.h -> here -> gemm, attention, kv_pages -> kernels.
// Threads: as ops.h says; results do not depend on how many there are.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/thread_pool.h"
#include "ops/cpu/attention.h"
#include "ops/cpu/gemm.h"
#include "ops/cpu/integer_attention.h"
#include "ops/cpu/isa.h"
#include "ops/cpu/kv_pages.h"
#include "ops/cpu/stft.h"
#include "ops/ops.h"
#include "tensor/arena.h"

namespace steno::ops::cpu {

class CpuOps final : public Ops {
 public:
  CpuOps(const IsaChoice& isa, int num_threads);

  std::string description() const override;

  Weight pack(const Tensor& matrix, const Tensor& bias, ComputeType type) override;
  Tensor linear(const Tensor& x, const Weight& w, const LinearOptions& options) override;
  Tensor conv1d(const Tensor& x, const Weight& w, const Conv1dOptions& options) override;
  Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps) override;
  Tensor feed_forward(const Tensor& x, const FeedForward& w) override;
  Tensor gelu(const Tensor& x) override;
  Tensor relu(const Tensor& x) override;
  Tensor stft_magnitude(const Tensor& x, const Tensor& window, int hop) override;
  Tensor lstm(const Tensor& gates, const Weight& w, LstmState& state) override;
  Tensor add(const Tensor& a, const Tensor& b) override;
  Tensor embedding(const Tensor& table, std::span<const std::int32_t> ids) override;
  Tensor attention(const Columns& q, const Columns& k, const Columns& v,
                   const AttentionOptions& options, ComputeType type) override;
  KvPages make_kv_pages(int num_pages, int page_tokens, int num_heads, int head_dim,
                        DType dtype) override;
  void store_kv(KvPages& pages, const Columns& k, const Columns& v,
                std::span<const KvSlot> slots) override;
  void copy_kv_page(KvPages& pages, int from, int to) override;
  Tensor attention_paged(const Columns& q, const KvPages& pages, std::span<const KvSpan> spans,
                         const AttentionOptions& options) override;
  Tensor attention_weights(const Columns& q, const KvPages& pages, const KvSpan& span,
                           std::span<const int> heads, const AttentionOptions& options) override;

 private:
  void convolve_side_by_side(const Tensor& x, const Weight& w, const Conv1dOptions& options,
                             Tensor& result);
  Tensor map(const Tensor& x, void (*kernel)(const float*, std::int64_t, float*));

  IsaChoice isa_;
  Kernels kernels_;
  ThreadPool pool_;
  Arena arena_;
  Gemm gemm_;
  Attention attention_;
  IntegerAttention integer_attention_;
  PagedAttention paged_;
  Stft stft_;
  Scratch padded_;  // conv1d: the input between its zero frames, or unfolded
  Scratch recurrent_gates_;
};

}  // namespace steno::ops::cpu
