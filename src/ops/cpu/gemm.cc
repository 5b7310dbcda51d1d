#include "ops/cpu/gemm.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "ops/cpu/rounding.h"

namespace steno::ops::cpu {
namespace {

// Rows of a tile: with a block of a panel (20 KiB) they share the L1 cache. A multiple of the 6
// rows of the inner loop.
constexpr std::int64_t kTileRows = 48;

// Panels that are handed out together stay in half of a 1 MiB L2 cache while the rows pass.
constexpr std::int64_t kGroupBytes = 512 * 1024;

// Pieces a thread should find, so that the last one is not waited for long.
constexpr std::int64_t kPiecesPerThread = 4;

// Below this many values the rows are prepared by the caller alone: waking a thread costs as much.
constexpr std::int64_t kPrepareAlone = 16 * 1024;

// The factor of a row of weights: 127 / amax, as CTranslate2 has it.
float int8_scale(const float* row, std::int64_t k) {
  float amax = 0;
  for (std::int64_t i = 0; i < k; ++i) amax = std::max(amax, std::abs(row[i]));
  return amax == 0 ? 1.0F : 127.0F / amax;
}

// Writes one output column into its panel; `convert` gives the stored element.
template <class Element, class Convert>
void pack_column(const float* row, std::int64_t k, const Product& product, std::int64_t columns,
                 std::int64_t column, std::byte* panel, Convert convert) {
  auto* out = reinterpret_cast<Element*>(panel) + column * product.k_group;
  const std::int64_t padded = ceil_div(k, product.k_group) * product.k_group;
  for (std::int64_t i = 0; i < padded; ++i) {
    const std::int64_t at = i / product.k_group * columns * product.k_group + i % product.k_group;
    out[at] = i < k ? convert(row[i]) : Element{};
  }
}

void pack_int8_column(const float* row, std::int64_t column, std::int64_t columns,
                      const Product& product, std::byte* panel, PackedWeight& w,
                      std::int64_t output) {
  const float scale = int8_scale(row, w.num_inputs);
  std::int32_t sum = 0;
  pack_column<std::int8_t>(row, w.num_inputs, product, columns, column, panel, [&](float x) {
    const auto q = static_cast<std::int8_t>(std::nearbyint(x * scale));
    sum += q;
    return q;
  });
  w.column_scales[output] = 1.0F / scale;
  w.column_sums[output] = sum;
}

TileActivation tile_activation(Activation activation) {
  switch (activation) {
    case Activation::kNone:
      return TileActivation::kNone;
    case Activation::kGelu:
      return TileActivation::kGelu;
    case Activation::kRelu:
      return TileActivation::kRelu;
  }
  return TileActivation::kNone;
}

}  // namespace

const Product& product_for(const Kernels& kernels, ComputeType type) {
  switch (type) {
    case ComputeType::kF32:
      return kernels.f32;
    case ComputeType::kBF16:
      return kernels.bf16;
    case ComputeType::kInt8:
      return kernels.int8;
  }
  return kernels.f32;
}

std::shared_ptr<PackedWeight> Gemm::pack(const Tensor& matrix, const Tensor& bias,
                                         ComputeType type) {
  const Product& product = product_for(kernels_, type);
  const std::int64_t columns = kernels_.panel_columns;
  auto w = std::make_shared<PackedWeight>();
  w->type = type;
  w->num_outputs = matrix.dim(0);
  w->num_inputs = matrix.dim(1);
  const std::int64_t num_panels = ceil_div(w->num_outputs, columns);
  const std::int64_t padded_inputs = ceil_div(w->num_inputs, product.k_group) * product.k_group;
  w->panel_bytes = padded_inputs * columns * product.b_bytes;
  w->panels = Tensor::zeros({num_panels * w->panel_bytes}, DType::kU8);
  w->bias.resize(num_panels * columns);
  if (!bias.empty()) std::copy_n(bias.data<float>(), w->num_outputs, w->bias.begin());
  if (type == ComputeType::kInt8) {
    w->column_scales.resize(num_panels * columns);
    w->column_sums.resize(num_panels * columns);
  }
  const auto* source = matrix.data<float>();
  auto* panels = static_cast<std::byte*>(w->panels.raw());
  pool_.parallel_for(num_panels, 1, [&](std::size_t begin, std::size_t, int) {
    std::byte* panel = panels + static_cast<std::int64_t>(begin) * w->panel_bytes;
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t output = static_cast<std::int64_t>(begin) * columns + c;
      if (output >= w->num_outputs) break;
      const float* row = source + output * w->num_inputs;
      if (type == ComputeType::kInt8) {
        pack_int8_column(row, c, columns, product, panel, *w, output);
      } else if (type == ComputeType::kBF16) {
        pack_column<std::uint16_t>(row, w->num_inputs, product, columns, c, panel, f32_to_bf16);
      } else {
        pack_column<float>(row, w->num_inputs, product, columns, c, panel,
                           [](float x) { return x; });
      }
    }
  });
  return w;
}

std::int64_t operand_stride_bytes(const PackedWeight& w, const Product& product) {
  return row_stride_bytes(round_up(w.num_inputs, product.k_group) * product.a_bytes);
}

Gemm::Operand Gemm::prepare(const Rows& x, const PackedWeight& w, const Product& product) {
  if (product.prepare_row == nullptr) {
    return {reinterpret_cast<const std::byte*>(x.data),
            x.stride * static_cast<std::int64_t>(sizeof(float)), nullptr};
  }
  const std::int64_t stride = operand_stride_bytes(w, product);
  std::byte* rows = operand_.take_bytes(stride * x.count);
  if (std::ssize(forms_) < x.count) forms_.resize(x.count);
  const std::int64_t grain = x.count * w.num_inputs <= kPrepareAlone
                                 ? std::max<std::int64_t>(1, x.count)
                                 : ceil_div(kPrepareAlone, w.num_inputs);
  pool_.parallel_for(x.count, grain, [&](std::size_t begin, std::size_t end, int) {
    for (auto r = static_cast<std::int64_t>(begin); r < static_cast<std::int64_t>(end); ++r) {
      forms_[r] = product.prepare_row(x.data + r * x.stride, w.num_inputs, rows + r * stride);
    }
  });
  return {rows, stride, forms_.data()};
}

void Gemm::multiply_tile(const Operand& a, const PackedWeight& w, const Product& product,
                         std::int64_t row_begin, std::int64_t row_end, std::int64_t panel,
                         const GemmResult& result) const {
  alignas(64) std::array<float, kTileRows * kMaxPanelColumns> sums;
  const std::int64_t columns = kernels_.panel_columns;
  const std::int64_t column = panel * columns;
  const std::int64_t rows = row_end - row_begin;
  product.wide(a.data + row_begin * a.stride_bytes, a.stride_bytes,
               static_cast<const std::byte*>(w.panels.raw()) + panel * w.panel_bytes,
               ceil_div(w.num_inputs, product.k_group), rows, nullptr, 0, sums.data(), columns);

  const std::int64_t at = row_begin * w.num_outputs + column;
  TileFinish finish;
  finish.bias = w.bias.data() + column;
  finish.activation = tile_activation(result.activation);
  finish.residual = result.residual == nullptr ? nullptr : result.residual + at;
  finish.residual_stride = w.num_outputs;
  finish.out = result.out + at;
  finish.out_stride = w.num_outputs;
  const std::int64_t used_columns = std::min(columns, w.num_outputs - column);
  if (product.integer_sums) {
    finish.rows = a.forms + row_begin;
    finish.column_sums = w.column_sums.data() + column;
    finish.column_scales = w.column_scales.data() + column;
    kernels_.finish_s32(reinterpret_cast<const std::int32_t*>(sums.data()), columns, rows,
                        used_columns, finish);
  } else {
    kernels_.finish_f32(sums.data(), columns, rows, used_columns, finish);
  }
}

void Gemm::multiply(const Rows& x, const PackedWeight& w, const GemmResult& result) {
  if (x.count == 0) return;
  const Product& product = product_for(kernels_, w.type);
  const Operand a = prepare(x, w, product);
  const std::int64_t num_panels = ceil_div(w.num_outputs, kernels_.panel_columns);
  const std::int64_t row_tiles = ceil_div(x.count, kTileRows);
  const std::int64_t pieces = kPiecesPerThread * pool_.num_threads();
  const std::int64_t group = std::clamp<std::int64_t>(
      std::min(num_panels * row_tiles / pieces, kGroupBytes / w.panel_bytes), 1, num_panels);
  const std::int64_t num_groups = ceil_div(num_panels, group);
  // Neighbouring pieces share their panels, not their rows: the panels are the larger part.
  pool_.parallel_for(num_groups * row_tiles, 1, [&](std::size_t piece, std::size_t, int) {
    const std::int64_t first_panel = static_cast<std::int64_t>(piece) / row_tiles * group;
    const std::int64_t row = static_cast<std::int64_t>(piece) % row_tiles * kTileRows;
    for (std::int64_t p = first_panel; p < std::min(first_panel + group, num_panels); ++p) {
      multiply_tile(a, w, product, row, std::min(row + kTileRows, x.count), p, result);
    }
  });
}

void Gemm::multiply_block(const Rows& x, const PackedWeight& w, Block& block,
                          const GemmResult& result) const {
  const Product& product = product_for(kernels_, w.type);
  Operand a{reinterpret_cast<const std::byte*>(x.data),
            x.stride * static_cast<std::int64_t>(sizeof(float)), nullptr};
  if (product.prepare_row != nullptr) {
    const std::int64_t stride = operand_stride_bytes(w, product);
    std::byte* rows = block.operand.take_bytes(stride * kTileRows);
    block.forms.resize(kTileRows);
    for (std::int64_t r = 0; r < x.count; ++r) {
      block.forms[r] = product.prepare_row(x.data + r * x.stride, w.num_inputs, rows + r * stride);
    }
    a = {rows, stride, block.forms.data()};
  }
  const std::int64_t num_panels = ceil_div(w.num_outputs, kernels_.panel_columns);
  for (std::int64_t p = 0; p < num_panels; ++p) {
    multiply_tile(a, w, product, 0, x.count, p, result);
  }
}

bool Gemm::is_worth_blocks(std::int64_t num_rows) const {
  return num_rows >= kPiecesPerThread * kTileRows * pool_.num_threads();
}

void Gemm::feed_forward(const FeedForwardCall& c) {
  const std::int64_t d = c.up.num_inputs;
  const std::int64_t f = c.up.num_outputs;
  pool_.parallel_for(
      ceil_div(c.num_rows, kTileRows), 1, [&](std::size_t piece, std::size_t, int worker) {
        Block& block = blocks_[worker];
        const std::int64_t begin = static_cast<std::int64_t>(piece) * kTileRows;
        const std::int64_t count = std::min(kTileRows, c.num_rows - begin);
        const float* x = c.x + begin * d;
        float* norm = block.floats.take_floats(kTileRows * (d + f));
        float* hidden = norm + kTileRows * d;
        for (std::int64_t r = 0; r < count; ++r) {
          kernels_.layer_norm(x + r * d, c.gamma, c.beta, c.eps, d, norm + r * d);
        }
        multiply_block({norm, d, count}, c.up, block, {hidden, nullptr, c.activation});
        multiply_block({hidden, f, count}, c.down, block,
                       {c.out + begin * d, x, Activation::kNone});
      });
}

}  // namespace steno::ops::cpu
