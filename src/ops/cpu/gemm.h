// Rows times a packed weight: the work of linear and conv1d.
//
// The weight lies in panels of Kernels::panel_columns columns (kernels.h). Rows are first brought
// into the operand's form (quantised, rounded); then tiles of some rows by some panels are handed
// out, and each tile is finished (scales, bias, activation, residual) while its sums are in the L1
// cache. Path: cpu_ops -> here -> kernels. Threads: one call at a time on a Gemm; the work is
// spread over its pool.
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.h"
#include "ops/compute_type.h"
#include "ops/cpu/kernels.h"
#include "ops/cpu/scratch.h"
#include "ops/ops.h"
#include "tensor/tensor.h"

namespace steno::ops::cpu {

struct PackedWeight : Weight::Packed {
  ComputeType type = ComputeType::kF32;
  std::int64_t num_outputs = 0;  // N
  std::int64_t num_inputs = 0;   // K
  std::int64_t panel_bytes = 0;
  Tensor panels;            // u8: ceil(N / columns) panels
  std::vector<float> bias;  // as many as the panels have columns; zeros where there is none
  std::vector<float> column_scales;       // int8
  std::vector<std::int32_t> column_sums;  // int8: of the panel's integers
};

// Rows of num_inputs floats, `stride` apart (they may overlap: a convolution).
struct Rows {
  const float* data = nullptr;
  std::int64_t stride = 0;
  std::int64_t count = 0;
};

struct GemmResult {
  float* out = nullptr;             // [rows.count, N]
  const float* residual = nullptr;  // the same shape, or null
  Activation activation = Activation::kNone;
};

// x + down(activation(up(layer_norm(x)))), of rows of D floats.
struct FeedForwardCall {
  const float* x = nullptr;
  std::int64_t num_rows = 0;
  const float* gamma = nullptr;
  const float* beta = nullptr;
  float eps = 0;
  const PackedWeight& up;
  Activation activation = Activation::kNone;
  const PackedWeight& down;
  float* out = nullptr;
};

const Product& product_for(const Kernels& kernels, ComputeType type);

class Gemm {
 public:
  Gemm(const Kernels& kernels, ThreadPool& pool)
      : kernels_(kernels), pool_(pool), blocks_(pool.num_threads()) {}

  // matrix [N, K] f32, bias [N] or empty.
  std::shared_ptr<PackedWeight> pack(const Tensor& matrix, const Tensor& bias, ComputeType type);

  void multiply(const Rows& x, const PackedWeight& w, const GemmResult& result);

  // Block by block of rows, so that what is between the two products never leaves the L2 cache:
  // in f32 it is four times as wide as x. The weights pass once for each block.
  void feed_forward(const FeedForwardCall& call);
  // Fewer rows keep too few threads busy, or read the weights for too little.
  bool is_worth_blocks(std::int64_t num_rows) const;

 private:
  // Rows in a product's form, and what is between two products: of one worker.
  struct Block {
    Scratch floats;
    Scratch operand;
    std::vector<RowForm> forms;
  };
  struct Operand {
    const std::byte* data;
    std::int64_t stride_bytes;
    const RowForm* forms;
  };
  Operand prepare(const Rows& x, const PackedWeight& w, const Product& product);
  void multiply_block(const Rows& x, const PackedWeight& w, Block& block,
                      const GemmResult& result) const;
  void multiply_tile(const Operand& a, const PackedWeight& w, const Product& product,
                     std::int64_t row_begin, std::int64_t row_end, std::int64_t panel,
                     const GemmResult& result) const;

  const Kernels& kernels_;
  ThreadPool& pool_;
  Scratch operand_;
  std::vector<RowForm> forms_;  // of the operand's rows
  std::vector<Block> blocks_;   // by worker
};

}  // namespace steno::ops::cpu
