#include "ops/cpu/cpu_ops.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"

namespace steno::ops::cpu {
namespace {

// Values that one piece of an elementwise op takes: some 10 us of work, far more than handing it
// out costs.
constexpr std::int64_t kPieceValues = 16 * 1024;

// Fewer output frames than this fill no tile of the product (gemm.cc, kTileRows).
constexpr std::int64_t kFewFrames = 48;

std::size_t rows_per_piece(std::int64_t row_size) {
  return static_cast<std::size_t>(
      std::max<std::int64_t>(1, kPieceValues / std::max<std::int64_t>(1, row_size)));
}

// The shape of x with another last dimension.
Shape with_last(const Shape& shape, std::int64_t last) {
  std::array<std::int64_t, Shape::kMaxRank> dims{};
  for (int i = 0; i < shape.rank(); ++i) dims[i] = shape.dim(i);
  dims[shape.rank() - 1] = last;
  return Shape(std::span<const std::int64_t>(dims.data(), shape.rank()));
}

bool is_suffix(const Shape& suffix, const Shape& shape) {
  if (suffix.rank() > shape.rank()) return false;
  for (int i = 1; i <= suffix.rank(); ++i) {
    if (suffix.dim(-i) != shape.dim(-i)) return false;
  }
  return true;
}

const PackedWeight& packed_of(const Weight& w) {
  const auto* packed = dynamic_cast<const PackedWeight*>(w.packed());
  STENO_CHECK(packed != nullptr, "a weight of another backend, or none");
  return *packed;
}

void check_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta) {
  STENO_CHECK(gamma.num_elements() == x.dim(-1) && beta.num_elements() == x.dim(-1),
              "{} with {} and {}", x.shape().to_string(), gamma.shape().to_string(),
              beta.shape().to_string());
}

}  // namespace

CpuOps::CpuOps(const IsaChoice& isa, int num_threads)
    : isa_(isa),
      kernels_(make_kernels(isa)),
      pool_(num_threads),
      gemm_(kernels_, pool_),
      attention_(kernels_, pool_),
      integer_attention_(kernels_, pool_),
      paged_(kernels_, pool_),
      stft_(kernels_, pool_) {}

std::string CpuOps::description() const {
  return fmt::format("cpu {}, {} thread{}", to_string(isa_), pool_.num_threads(),
                     pool_.num_threads() == 1 ? "" : "s");
}

Weight CpuOps::pack(const Tensor& matrix, const Tensor& bias, ComputeType type) {
  STENO_CHECK(matrix.shape().rank() == 2 && matrix.dim(1) >= 1, "matrix {}",
              matrix.shape().to_string());
  STENO_CHECK(bias.empty() || bias.num_elements() == matrix.dim(0), "bias {} for {}",
              bias.shape().to_string(), matrix.shape().to_string());
  return Weight(matrix.dim(0), matrix.dim(1), gemm_.pack(matrix, bias, type));
}

Tensor CpuOps::linear(const Tensor& x, const Weight& w, const LinearOptions& options) {
  STENO_CHECK(x.dim(-1) == w.num_inputs(), "{} times [{}, {}]", x.shape().to_string(),
              w.num_outputs(), w.num_inputs());
  Tensor result = arena_.take(with_last(x.shape(), w.num_outputs()));
  STENO_CHECK(options.residual == nullptr || options.residual->shape() == result.shape(),
              "residual {} for {}", options.residual->shape().to_string(),
              result.shape().to_string());
  const float* residual = options.residual == nullptr ? nullptr : options.residual->data<float>();
  gemm_.multiply({x.data<float>(), w.num_inputs(), x.num_rows()}, packed_of(w),
                 {result.data<float>(), residual, options.activation});
  return result;
}

Tensor CpuOps::feed_forward(const Tensor& x, const FeedForward& w) {
  STENO_CHECK(x.dim(-1) == w.up.num_inputs() && w.up.num_outputs() == w.down.num_inputs() &&
                  w.down.num_outputs() == x.dim(-1),
              "{} through [{}, {}] and [{}, {}]", x.shape().to_string(), w.up.num_outputs(),
              w.up.num_inputs(), w.down.num_outputs(), w.down.num_inputs());
  if (!gemm_.is_worth_blocks(x.num_rows())) return Ops::feed_forward(x, w);
  check_norm(x, w.gamma, w.beta);
  Tensor result = arena_.take(x.shape());
  gemm_.feed_forward({.x = x.data<float>(),
                      .num_rows = x.num_rows(),
                      .gamma = w.gamma.data<float>(),
                      .beta = w.beta.data<float>(),
                      .eps = w.eps,
                      .up = packed_of(w.up),
                      .activation = w.activation,
                      .down = packed_of(w.down),
                      .out = result.data<float>()});
  return result;
}

Tensor CpuOps::conv1d(const Tensor& x, const Weight& w, const Conv1dOptions& options) {
  STENO_CHECK(x.shape().rank() == 3 && options.kernel * x.dim(2) == w.num_inputs(),
              "{} and a kernel of {} for {} inputs", x.shape().to_string(), options.kernel,
              w.num_inputs());
  STENO_CHECK(options.stride >= 1 && options.padding >= 0, "stride {}, padding {}", options.stride,
              options.padding);
  const std::int64_t frames = x.dim(1);
  const std::int64_t channels = x.dim(2);
  const std::int64_t padded_frames = frames + 2 * options.padding;
  STENO_CHECK(padded_frames >= options.kernel, "{} frames for a kernel of {}", padded_frames,
              options.kernel);
  const std::int64_t out_frames = (padded_frames - options.kernel) / options.stride + 1;
  Tensor result = arena_.take({x.dim(0), out_frames, w.num_outputs()});
  if (x.dim(0) > 1 && out_frames < kFewFrames) {
    convolve_side_by_side(x, w, options, result);
    return result;
  }

  // Time-major, the inputs of an output frame are contiguous: the rows of the product overlap,
  // nothing is unfolded.
  const std::int64_t margin = options.padding * channels;
  float* padded = padded_.take_floats(padded_frames * channels);
  std::fill_n(padded, margin, 0.0F);
  std::fill_n(padded + margin + frames * channels, margin, 0.0F);
  for (std::int64_t b = 0; b < x.dim(0); ++b) {
    std::copy_n(x.data<float>() + b * frames * channels, frames * channels, padded + margin);
    gemm_.multiply(
        {padded, options.stride * channels, out_frames}, packed_of(w),
        {result.data<float>() + b * out_frames * w.num_outputs(), nullptr, options.activation});
  }
  return result;
}

// Of many short inputs the products are too small one by one: the inputs of every output frame are
// laid out, and all frames are one product. The sums of a frame are the same bits either way.
void CpuOps::convolve_side_by_side(const Tensor& x, const Weight& w, const Conv1dOptions& options,
                                   Tensor& result) {
  const std::int64_t channels = x.dim(2);
  const std::int64_t frames = x.dim(1);
  float* row = padded_.take_floats(result.num_rows() * w.num_inputs());
  const float* rows = row;
  for (std::int64_t b = 0; b < x.dim(0); ++b) {
    const float* input = x.data<float>() + b * frames * channels;
    for (std::int64_t t = 0; t < result.dim(1); ++t, row += w.num_inputs()) {
      const std::int64_t first = t * options.stride - options.padding;
      const std::int64_t begin = std::clamp<std::int64_t>(first, 0, frames);
      const std::int64_t end = std::clamp<std::int64_t>(first + options.kernel, begin, frames);
      float* at = std::fill_n(row, (begin - first) * channels, 0.0F);
      at = std::copy_n(input + begin * channels, (end - begin) * channels, at);
      std::fill(at, row + w.num_inputs(), 0.0F);
    }
  }
  gemm_.multiply({rows, w.num_inputs(), result.num_rows()}, packed_of(w),
                 {result.data<float>(), nullptr, options.activation});
}

Tensor CpuOps::layer_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta, float eps) {
  const std::int64_t size = x.dim(-1);
  check_norm(x, gamma, beta);
  Tensor result = arena_.take(x.shape());
  const float* in = x.data<float>();
  auto* out = result.data<float>();
  pool_.parallel_for(
      x.num_rows(), rows_per_piece(size), [&](std::size_t begin, std::size_t end, int) {
        for (auto r = static_cast<std::int64_t>(begin); r < static_cast<std::int64_t>(end); ++r) {
          kernels_.layer_norm(in + r * size, gamma.data<float>(), beta.data<float>(), eps, size,
                              out + r * size);
        }
      });
  return result;
}

Tensor CpuOps::map(const Tensor& x, void (*kernel)(const float*, std::int64_t, float*)) {
  Tensor result = arena_.take(x.shape());
  const float* in = x.data<float>();
  auto* out = result.data<float>();
  pool_.parallel_for(x.num_elements(), kPieceValues, [&](std::size_t begin, std::size_t end, int) {
    kernel(in + begin, static_cast<std::int64_t>(end - begin), out + begin);
  });
  return result;
}

Tensor CpuOps::gelu(const Tensor& x) {
  return map(x, kernels_.gelu);
}

Tensor CpuOps::relu(const Tensor& x) {
  return map(x, kernels_.relu);
}

Tensor CpuOps::stft_magnitude(const Tensor& x, const Tensor& window, int hop) {
  const std::int64_t size = window.num_elements();
  STENO_CHECK(x.shape().rank() == 2 && x.dim(1) >= size, "{} for frames of {}",
              x.shape().to_string(), size);
  STENO_CHECK(size >= 4 && std::has_single_bit(static_cast<std::uint64_t>(size)) && hop >= 1,
              "frames of {}, {} apart", size, hop);
  const std::int64_t num_frames = (x.dim(1) - size) / hop + 1;
  Tensor result = arena_.take({x.dim(0), num_frames, size / 2 + 1});
  stft_.magnitudes(x, window, hop, num_frames, result.data<float>());
  return result;
}

// A step waits for the one before, and one step is some microseconds of reading w from the cache:
// nothing to hand out. The panels of w serve all sequences of the batch while they are there.
Tensor CpuOps::lstm(const Tensor& gates, const Weight& w, LstmState& state) {
  const PackedWeight& packed = packed_of(w);
  const std::int64_t size = w.num_inputs();
  STENO_CHECK(packed.type == ComputeType::kF32 && w.num_outputs() == 4 * size,
              "[{}, {}] is not the f32 recurrent weight of an LSTM", w.num_outputs(), size);
  STENO_CHECK(gates.shape().rank() == 3 && gates.dim(2) == 4 * size, "gates {} for {} cells",
              gates.shape().to_string(), size);
  const std::int64_t batch = gates.dim(0);
  const std::int64_t steps = gates.dim(1);
  STENO_CHECK(state.h.shape() == Shape({batch, size}) && state.c.shape() == state.h.shape(),
              "state {} and {} for {} x {} cells", state.h.shape().to_string(),
              state.c.shape().to_string(), batch, size);
  Tensor result = arena_.take({batch, steps, size});
  const std::int64_t num_panels = (4 * size + kernels_.panel_columns - 1) / kernels_.panel_columns;
  const std::int64_t stride = num_panels * kernels_.panel_columns;
  float* recurrent = recurrent_gates_.take_floats(batch * stride);
  auto* h = state.h.data<float>();
  for (std::int64_t t = 0; t < steps; ++t) {
    for (std::int64_t p = 0; p < num_panels; ++p) {
      kernels_.f32.wide(h, size * static_cast<std::int64_t>(sizeof(float)),
                        static_cast<const std::byte*>(packed.panels.raw()) + p * packed.panel_bytes,
                        size, batch, nullptr, 0, recurrent + p * kernels_.panel_columns, stride);
    }
    for (std::int64_t b = 0; b < batch; ++b) {
      kernels_.lstm_cell(gates.data<float>() + (b * steps + t) * 4 * size, recurrent + b * stride,
                         size, state.c.data<float>() + b * size, h + b * size);
      std::copy_n(h + b * size, size, result.data<float>() + (b * steps + t) * size);
    }
  }
  return result;
}

Tensor CpuOps::add(const Tensor& a, const Tensor& b) {
  STENO_CHECK(is_suffix(b.shape(), a.shape()), "{} + {}", a.shape().to_string(),
              b.shape().to_string());
  Tensor result = arena_.take(a.shape());
  const std::int64_t size = a.dim(-1);
  const std::int64_t b_rows = b.num_rows();
  const float* in = a.data<float>();
  const float* other = b.data<float>();
  auto* out = result.data<float>();
  pool_.parallel_for(
      a.num_rows(), rows_per_piece(size), [&](std::size_t begin, std::size_t end, int) {
        for (auto r = static_cast<std::int64_t>(begin); r < static_cast<std::int64_t>(end); ++r) {
          kernels_.add(in + r * size, other + r % b_rows * size, size, out + r * size);
        }
      });
  return result;
}

Tensor CpuOps::embedding(const Tensor& table, std::span<const std::int32_t> ids) {
  STENO_CHECK(table.shape().rank() == 2, "table {}", table.shape().to_string());
  const std::int64_t size = table.dim(1);
  Tensor result = arena_.take({std::ssize(ids), size});
  auto* out = result.data<float>();
  for (std::size_t i = 0; i < ids.size(); ++i, out += size) {
    STENO_CHECK(ids[i] >= 0 && ids[i] < table.dim(0), "id {} of {}", ids[i], table.dim(0));
    const std::int64_t at = ids[i] * size;
    switch (table.dtype()) {
      case DType::kF32:
        std::copy_n(table.data<float>() + at, size, out);
        break;
      case DType::kF16:
        kernels_.widen_f16(table.data<std::uint16_t>() + at, size, out);
        break;
      case DType::kBF16:
        kernels_.widen_bf16(table.data<std::uint16_t>() + at, size, out);
        break;
      default:
        STENO_CHECK(false, "a table of {}", name(table.dtype()));
    }
  }
  return result;
}

Tensor CpuOps::attention(const Columns& q, const Columns& k, const Columns& v,
                         const AttentionOptions& options, ComputeType type) {
  const Shape& shape = q.tensor.shape();
  STENO_CHECK(shape.rank() == 3 && k.tensor.shape().rank() == 3 && v.tensor.shape().rank() == 3,
              "ranks {} {} {}", shape.rank(), k.tensor.shape().rank(), v.tensor.shape().rank());
  STENO_CHECK(k.tensor.dim(0) == shape.dim(0) && v.tensor.dim(0) == shape.dim(0) &&
                  k.tensor.dim(1) == v.tensor.dim(1) && k.tensor.dim(1) >= 1,
              "q {}, k {}, v {}", shape.to_string(), k.tensor.shape().to_string(),
              v.tensor.shape().to_string());
  STENO_CHECK(options.num_heads >= 1 && q.size() % options.num_heads == 0 && k.size() == q.size() &&
                  v.size() == q.size(),
              "{} heads in {}, {} and {} columns", options.num_heads, q.size(), k.size(), v.size());
  Tensor result = arena_.take({shape.dim(0), shape.dim(1), q.size()});
  if (type == ComputeType::kInt8) {
    integer_attention_.attend(q, k, v, shape.dim(0), options, result.data<float>());
  } else {
    attention_.attend(q, k, v, shape.dim(0), options, type, result.data<float>());
  }
  return result;
}

KvPages CpuOps::make_kv_pages(int num_pages, int page_tokens, int num_heads, int head_dim,
                              DType dtype) {
  return paged_.make_pages(num_pages, page_tokens, num_heads, head_dim, dtype);
}

void CpuOps::store_kv(KvPages& pages, const Columns& k, const Columns& v,
                      std::span<const KvSlot> slots) {
  paged_.store(pages, k, v, slots);
}

void CpuOps::copy_kv_page(KvPages& pages, int from, int to) {
  paged_.copy_page(pages, from, to);
}

Tensor CpuOps::attention_paged(const Columns& q, const KvPages& pages,
                               std::span<const KvSpan> spans, const AttentionOptions& options) {
  Tensor result = arena_.take({q.num_rows(), q.size()});
  paged_.attend(q, pages, spans, options, result.data<float>());
  return result;
}

Tensor CpuOps::attention_weights(const Columns& q, const KvPages& pages, const KvSpan& span,
                                 std::span<const int> heads, const AttentionOptions& options) {
  Tensor result = arena_.take({std::ssize(heads), q.num_rows(), span.num_keys});
  paged_.weigh(q, pages, span, heads, options, result.data<float>());
  return result;
}

}  // namespace steno::ops::cpu
