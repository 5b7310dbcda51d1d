// The whole vocabulary that a forward pass may use. Models are written in these words; a backend is
// one class that implements them (cpu/ today). Callers hold no #ifdef and know no layout of packed
// data.
//
// Path: models/<family> -> here -> ops/cpu.
// Conventions: tensors are row-major f32 unless said; a "row" is the last dimension; D = H * E.
// A result's memory is reused when its last copy dies. Requirements are checked
// (STENO_CHECK): all that a request can get wrong was refused before a tensor exists. Threads: one
// thread calls at a time; the backend spreads the work over its own.
//
// Fused forms (linear with activation and residual) are part of the plain op's options: a backend
// that has no kernel for the fusion composes it, and a test holds the two against each other.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ops/compute_type.h"
#include "tensor/tensor.h"

namespace steno::ops {

// A matrix [N, K] and its bias, packed once for the backend and the compute type.
class Weight {
 public:
  struct Packed {
    virtual ~Packed() = default;
  };

  Weight() = default;
  Weight(std::int64_t num_outputs, std::int64_t num_inputs, std::shared_ptr<const Packed> packed)
      : num_outputs_(num_outputs), num_inputs_(num_inputs), packed_(std::move(packed)) {}

  std::int64_t num_outputs() const { return num_outputs_; }  // N
  std::int64_t num_inputs() const { return num_inputs_; }    // K
  const Packed* packed() const { return packed_.get(); }

 private:
  std::int64_t num_outputs_ = 0;
  std::int64_t num_inputs_ = 0;
  std::shared_ptr<const Packed> packed_;
};

// Columns [begin, end) of every row: how q, k and v are named inside a fused projection without a
// copy.
struct Columns {
  Columns(const Tensor& t)
      : tensor(t), begin(0), end(t.dim(-1)) {}  // NOLINT: a tensor is its columns
  Columns(const Tensor& t, std::int64_t b, std::int64_t e) : tensor(t), begin(b), end(e) {}

  std::int64_t size() const { return end - begin; }
  std::int64_t num_rows() const { return tensor.num_rows(); }
  std::int64_t row_stride() const { return tensor.dim(-1); }
  const float* row(std::int64_t r) const { return tensor.data<float>() + r * row_stride() + begin; }

  const Tensor& tensor;
  std::int64_t begin;
  std::int64_t end;
};

enum class Activation { kNone, kGelu, kRelu };  // kGelu is the exact, erf form

struct LinearOptions {
  Activation activation = Activation::kNone;
  const Tensor* residual = nullptr;  // added last; the shape of the result
};

struct Conv1dOptions {
  int kernel = 3;
  int stride = 1;
  int padding = 1;
  Activation activation = Activation::kNone;
};

// The feed-forward block of a transformer layer, normed before.
struct FeedForward {
  const Tensor& gamma;  // of the norm
  const Tensor& beta;
  float eps;
  const Weight& up;  // [F, D]
  Activation activation;
  const Weight& down;  // [D, F]
};

struct AttentionOptions {
  int num_heads = 1;
  float scale = 1.0F;  // of q.k before the softmax
};

// What a recurrent layer carries from one call to the next.
struct LstmState {
  Tensor h;  // [B, D]
  Tensor c;  // [B, D]
};

// Keys and values of one layer in pages of `page_tokens` tokens each. The layout inside is the
// backend's. A decoder's own keys use many small pages (beams share the full ones); the keys of an
// encoded window are one page as long as the window.
class KvPages {
 public:
  struct Memory {
    virtual ~Memory() = default;
  };

  KvPages() = default;
  KvPages(int num_pages, int page_tokens, std::shared_ptr<Memory> memory)
      : num_pages_(num_pages), page_tokens_(page_tokens), memory_(std::move(memory)) {}

  int num_pages() const { return num_pages_; }
  int page_tokens() const { return page_tokens_; }
  Memory* memory() const { return memory_.get(); }

 private:
  int num_pages_ = 0;
  int page_tokens_ = 0;
  std::shared_ptr<Memory> memory_;
};

// Where one row of keys and values is stored.
struct KvSlot {
  std::int32_t page = 0;
  std::int32_t offset = 0;  // in [0, page_tokens)
};

// What one query row sees: the first `num_keys` tokens of its pages, in order.
struct KvSpan {
  std::span<const std::int32_t> pages;
  std::int32_t num_keys = 0;
};

class Ops {
 public:
  virtual ~Ops() = default;

  // "cpu avx512 (vnni), 2 threads": for logs and the doctor.
  virtual std::string description() const = 0;

  // ---- weights
  // -------------------------------------------------------------------------------------------
  // matrix [N, K] f32; bias [N] f32 or empty.
  virtual Weight pack(const Tensor& matrix, const Tensor& bias, ComputeType type) = 0;

  // ---- rows
  // ----------------------------------------------------------------------------------------------
  // x [..., K] -> residual + activation(x . W^T + bias) [..., N]
  virtual Tensor linear(const Tensor& x, const Weight& w, const LinearOptions& options = {}) = 0;

  // Time-major: x [B, F, C] -> activation(conv(x) + bias) [B, (F + 2 padding - kernel) / stride +
  // 1, N]. w is packed from [N, kernel * C]: for an output channel, the C inputs of the first tap,
  // of the second, ...
  virtual Tensor conv1d(const Tensor& x, const Weight& w, const Conv1dOptions& options) = 0;

  // (x - mean) / sqrt(var + eps) * gamma + beta over each row.
  virtual Tensor layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta,
                            float eps) = 0;

  // x + down(activation(up(layer_norm(x)))), [..., D]. Here: op by op.
  virtual Tensor feed_forward(const Tensor& x, const FeedForward& w);

  virtual Tensor gelu(const Tensor& x) = 0;
  virtual Tensor relu(const Tensor& x) = 0;

  // Magnitudes of the Fourier transform of frames of N samples, `hop` apart, each times the window.
  // x [B, S], window [N], N a power of two of at least 4 -> [B, (S - N) / hop + 1, N / 2 + 1].
  virtual Tensor stft_magnitude(const Tensor& x, const Tensor& window, int hop) = 0;

  // a + b, where b has the shape of a or of its last dimensions ([T, D] added to [B, T, D]).
  virtual Tensor add(const Tensor& a, const Tensor& b) = 0;

  // table [V, D] of f32, f16 or bf16 -> [ids.size(), D]. Requires 0 <= id < V.
  virtual Tensor embedding(const Tensor& table, std::span<const std::int32_t> ids) = 0;

  // ---- recurrence
  // ----------------------------------------------------------------------------------------
  // A layer of LSTM over T steps of B sequences. gates [B, T, 4D]: the input's share of the input,
  // forget, cell and output gate with every bias, a linear of the layer's input. w [4D, D]: the
  // recurrent share, packed as f32 and without bias. `state` is where the sequences are, and is
  // moved on by T steps in place. -> h after each step [B, T, D].
  virtual Tensor lstm(const Tensor& gates, const Weight& w, LstmState& state) = 0;

  // ---- attention
  // -----------------------------------------------------------------------------------------
  // softmax(scale q k^T) v per head, no mask. q [B, T, .], k and v [B, S, .], each D columns wide
  // -> [B, T, D]. `type`: arithmetic of the two products. kInt8: queries and keys in int8 with
  // a scale for each row, softmax weights and values in 16 bits. kBF16: f32 where the CPU has no
  // such instructions.
  virtual Tensor attention(const Columns& q, const Columns& k, const Columns& v,
                           const AttentionOptions& options, ComputeType type) = 0;

  // dtype: kF32, kBF16 or kI8 (which keeps a scale for each token and head). Memory is owned by the
  // result, and is not cleared.
  virtual KvPages make_kv_pages(int num_pages, int page_tokens, int num_heads, int head_dim,
                                DType dtype) = 0;

  // Row r of k and v [R, D] goes to slots[r].
  virtual void store_kv(KvPages& pages, const Columns& k, const Columns& v,
                        std::span<const KvSlot> slots) = 0;

  virtual void copy_kv_page(KvPages& pages, int from, int to) = 0;

  // Row r of q [R, D] attends to spans[r] -> [R, D]. Rows that name the same pages are best kept
  // adjacent.
  virtual Tensor attention_paged(const Columns& q, const KvPages& pages,
                                 std::span<const KvSpan> spans,
                                 const AttentionOptions& options) = 0;

  // What attention_paged multiplies the values with: softmax(scale q k^T) of the heads asked for.
  // Every row of q [R, D] sees the keys of `span` -> [heads.size(), R, span.num_keys].
  virtual Tensor attention_weights(const Columns& q, const KvPages& pages, const KvSpan& span,
                                   std::span<const int> heads, const AttentionOptions& options) = 0;
};

}  // namespace steno::ops
