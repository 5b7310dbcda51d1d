#include "cli/ops_suite.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

namespace steno::cli {
namespace {

using ops::Columns;
using ops::ComputeType;
using ops::KvPages;
using ops::KvSlot;
using ops::KvSpan;
using ops::Weight;

constexpr int kNumHeads = 8;
constexpr int kHeadDim = 64;
constexpr std::int64_t kD = kNumHeads * kHeadDim;
constexpr std::int64_t kF = 4 * kD;
constexpr std::int64_t kNumFrames = 1500;
constexpr std::int64_t kVocabulary = 51865;
constexpr ops::AttentionOptions kHeads{.num_heads = kNumHeads, .scale = 0.125F};

// Values in [-1, 1] that look random enough for time: no subnormals, no ties.
Tensor noise(const Shape& shape) {
  Tensor t = Tensor::make(shape);
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    state = state * 1664525U + 1013904223U;
    t.data<float>()[i] = static_cast<float>(state >> 8) / 8388608.0F - 1.0F;
  }
  return t;
}

double giga(std::int64_t n) {
  return 1e-9 * static_cast<double>(n);
}

std::int64_t bytes_of(ComputeType type) {
  return type == ComputeType::kInt8 ? 1 : type == ComputeType::kBF16 ? 2 : 4;
}

std::vector<std::int32_t> first_pages(int n) {
  std::vector<std::int32_t> ids(n);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

class Suite {
 public:
  Suite(ops::Ops& ops, const std::string& filter, const std::function<void(const OpCase&)>& visit)
      : ops_(ops), filter_(filter), visit_(visit) {}

  bool wants(const std::string& name) const { return name.find(filter_) != name.npos; }

  // As many weights as no cache holds take turns where few rows are multiplied: a decoder's layers
  // push each other out.
  void linear(ComputeType type, std::int64_t m, std::int64_t k, std::int64_t n) {
    const std::string name = fmt::format("linear {} {}x{}x{}", ops::name(type), m, k, n);
    if (!wants(name)) return;
    constexpr std::int64_t kUncachedBytes = std::int64_t{96} << 20;
    constexpr std::int64_t kMostRows = 64;
    const std::int64_t weight_bytes = k * n * bytes_of(type);
    const std::int64_t num_weights = m < kMostRows ? 1 + kUncachedBytes / weight_bytes : 1;
    std::vector<Weight> weights;
    const Tensor matrix = noise({n, k});
    const Tensor bias = noise({n});
    for (std::int64_t i = 0; i < num_weights; ++i) weights.push_back(ops_.pack(matrix, bias, type));
    const Tensor x = noise({m, k});
    std::size_t next = 0;
    visit_({name, giga(2 * m * k * n), giga(weight_bytes + 4 * m * (k + n)), type, [&] {
              ops_.linear(x, weights[next]);
              next = (next + 1) % weights.size();
            }});
  }

  void attention(ComputeType type) {
    const std::string name =
        fmt::format("attention {} {}x{}x{}", ops::name(type), kNumFrames, kNumHeads, kHeadDim);
    if (!wants(name)) return;
    const Tensor qkv = noise({1, kNumFrames, 3 * kD});
    visit_({name, giga(4 * kNumFrames * kNumFrames * kD), giga(16 * kNumFrames * kD), type, [&] {
              ops_.attention(Columns(qkv, 0, kD), Columns(qkv, kD, 2 * kD),
                             Columns(qkv, 2 * kD, 3 * kD), kHeads, type);
            }});
  }

  // `rows` queries over the same keys: those of a window are one page, a decoder's own pages of 16.
  void attention_paged(DType dtype, int rows, int num_keys, int page_tokens) {
    const std::string name = fmt::format("attention_paged {} {}x{}, pages of {}",
                                         steno::name(dtype), rows, num_keys, page_tokens);
    if (!wants(name)) return;
    const int num_pages = (num_keys + page_tokens - 1) / page_tokens;
    KvPages pages = ops_.make_kv_pages(num_pages, page_tokens, kNumHeads, kHeadDim, dtype);
    std::vector<KvSlot> slots;
    for (int t = 0; t < num_keys; ++t) slots.push_back({t / page_tokens, t % page_tokens});
    const Tensor kv = noise({num_keys, 2 * kD});
    ops_.store_kv(pages, Columns(kv, 0, kD), Columns(kv, kD, 2 * kD), slots);
    const std::vector<std::int32_t> ids = first_pages(num_pages);
    const std::vector<KvSpan> spans(rows, KvSpan{ids, num_keys});
    const Tensor q = noise({rows, kD});
    const std::int64_t key_bytes = 2 * num_keys * kD * static_cast<std::int64_t>(size_bytes(dtype));
    visit_({name, giga(4 * rows * num_keys * kD), giga(key_bytes + 8 * rows * kD),
            dtype == DType::kI8 ? ComputeType::kInt8 : ComputeType::kF32,
            [&] { ops_.attention_paged(q, pages, spans, kHeads); }});
  }

  void rows() {
    const Tensor x = noise({kNumFrames, kD});
    const Tensor hidden = noise({kNumFrames, kF});
    const Tensor gamma = noise({kD});
    const auto visit_row = [&](const std::string& name, std::int64_t num_bytes,
                               const std::function<void()>& call) {
      if (wants(name)) visit_({name, 0, giga(num_bytes), ComputeType::kF32, call});
    };
    visit_row(fmt::format("layer_norm {}x{}", kNumFrames, kD), 8 * kNumFrames * kD,
              [&] { ops_.layer_norm(x, gamma, gamma, 1e-5F); });
    visit_row(fmt::format("gelu {}x{}", kNumFrames, kF), 8 * kNumFrames * kF,
              [&] { ops_.gelu(hidden); });
    visit_row(fmt::format("add {}x{}", kNumFrames, kD), 12 * kNumFrames * kD,
              [&] { ops_.add(x, x); });
  }

  void base(ComputeType type, DType kv);

 private:
  ops::Ops& ops_;
  const std::string& filter_;
  const std::function<void(const OpCase&)>& visit_;
};

// The ops of a transformer of Whisper base's size, with weights that mean nothing.
class Base {
 public:
  static constexpr int kNumLayers = 6;
  static constexpr int kPageTokens = 16;
  static constexpr int kNumPages = 28;  // 448 tokens

  Base(ops::Ops& ops, ComputeType type, DType kv) : ops_(ops), type_(type) {
    const auto weight = [&](std::int64_t n, std::int64_t k) {
      return ops.pack(noise({n, k}), noise({n}), type);
    };
    conv1_ = weight(kD, 240);
    conv2_ = weight(kD, 3 * kD);
    vocabulary_ = weight(kVocabulary, kD);
    for (int l = 0; l < kNumLayers; ++l) {
      layers_.push_back({weight(3 * kD, kD), weight(kD, kD), weight(kD, kD), weight(kD, kD),
                         weight(kF, kD), weight(kD, kF),
                         ops.make_kv_pages(kNumPages, kPageTokens, kNumHeads, kHeadDim, kv),
                         ops.make_kv_pages(1, kNumFrames, kNumHeads, kHeadDim, kv)});
      fill(layers_.back());
    }
  }

  void encode(const Tensor& mel) const {
    Tensor x = ops_.conv1d(mel, conv1_, {.activation = ops::Activation::kGelu});
    x = ops_.conv1d(x, conv2_, {.stride = 2, .activation = ops::Activation::kGelu});
    for (const Layer& layer : layers_) {
      const Tensor qkv = ops_.linear(norm(x), layer.qkv);
      const Tensor seen = ops_.attention(Columns(qkv, 0, kD), Columns(qkv, kD, 2 * kD),
                                         Columns(qkv, 2 * kD, 3 * kD), kHeads, type_);
      x = feed_forward(ops_.linear(seen, layer.out, {.residual = &x}), layer);
    }
  }

  // A token for each of `rows` beams of one window, after `num_keys` others.
  void decode(int rows, int num_keys) {
    const std::vector<std::int32_t> ids = first_pages(kNumPages);
    const std::vector<KvSpan> self(rows, KvSpan{ids, num_keys});
    const std::vector<KvSpan> cross(rows, KvSpan{std::span(ids).first(1), kNumFrames});
    const std::vector<KvSlot> slots(rows, KvSlot{num_keys / kPageTokens, num_keys % kPageTokens});
    Tensor x = noise({rows, kD});
    for (Layer& layer : layers_) {
      const Tensor qkv = ops_.linear(norm(x), layer.qkv);
      ops_.store_kv(layer.self, Columns(qkv, kD, 2 * kD), Columns(qkv, 2 * kD, 3 * kD), slots);
      const Tensor seen = ops_.attention_paged(Columns(qkv, 0, kD), layer.self, self, kHeads);
      x = ops_.linear(seen, layer.out, {.residual = &x});
      const Tensor q = ops_.linear(norm(x), layer.cross_q);
      const Tensor heard = ops_.attention_paged(q, layer.cross, cross, kHeads);
      x = feed_forward(ops_.linear(heard, layer.cross_out, {.residual = &x}), layer);
    }
    ops_.linear(norm(x), vocabulary_);
  }

 private:
  struct Layer {
    Weight qkv, out, cross_q, cross_out, fc1, fc2;
    KvPages self, cross;
  };

  void fill(Layer& layer) {
    std::vector<KvSlot> slots;
    for (int t = 0; t < kNumFrames; ++t) slots.push_back({0, t});
    const Tensor x = noise({kNumFrames, kD});
    ops_.store_kv(layer.cross, x, x, slots);
    slots.resize(kNumPages * kPageTokens);
    for (int t = 0; t < std::ssize(slots); ++t) slots[t] = {t / kPageTokens, t % kPageTokens};
    const Tensor own = x.slice(0, std::ssize(slots));
    ops_.store_kv(layer.self, own, own, slots);
  }

  Tensor norm(const Tensor& x) const { return ops_.layer_norm(x, gamma_, gamma_, 1e-5F); }

  Tensor feed_forward(const Tensor& x, const Layer& layer) const {
    const Tensor hidden = ops_.linear(norm(x), layer.fc1, {.activation = ops::Activation::kGelu});
    return ops_.linear(hidden, layer.fc2, {.residual = &x});
  }

  ops::Ops& ops_;
  ComputeType type_;
  std::vector<Layer> layers_;
  Weight conv1_, conv2_, vocabulary_;
  Tensor gamma_ = noise({kD});
};

// Operations of an encoder pass over 30 s: convolutions, then in each layer the matrices and the
// two products of attention.
constexpr std::int64_t encoder_ops() {
  const std::int64_t convolutions = 2 * (2 * kNumFrames * 240 * kD + kNumFrames * 3 * kD * kD);
  const std::int64_t matrices = 2 * kNumFrames * (4 * kD * kD + 2 * kD * kF);
  return convolutions + Base::kNumLayers * (matrices + 4 * kNumFrames * kNumFrames * kD);
}

// A decoder step of few rows reads every weight and the window's keys and values.
std::int64_t decode_bytes(ComputeType type, DType kv) {
  const std::int64_t matrices = 6 * kD * kD + 2 * kD * kF;
  const std::int64_t keys = 2 * kNumFrames * kD * static_cast<std::int64_t>(size_bytes(kv));
  return (Base::kNumLayers * matrices + kVocabulary * kD) * bytes_of(type) +
         Base::kNumLayers * keys;
}

std::int64_t decode_ops(int rows) {
  const std::int64_t matrices = 6 * kD * kD + 2 * kD * kF;
  return 2 * rows * (Base::kNumLayers * (matrices + 2 * kNumFrames * kD) + kVocabulary * kD);
}

void Suite::base(ComputeType type, DType kv) {
  const std::string encoder = fmt::format("encoder {}", ops::name(type));
  const auto decoder = [&](int rows) {
    return fmt::format("decode {}, kv {}, {} rows", ops::name(type), steno::name(kv), rows);
  };
  constexpr int kRows[] = {1, 5, 16};
  if (!wants(encoder) && std::ranges::none_of(kRows, [&](int r) { return wants(decoder(r)); })) {
    return;
  }
  Base model(ops_, type, kv);
  const Tensor mel = noise({1, 2 * kNumFrames, 80});
  if (wants(encoder)) visit_({encoder, giga(encoder_ops()), 0, type, [&] { model.encode(mel); }});
  for (const int rows : kRows) {
    if (!wants(decoder(rows))) continue;
    visit_({decoder(rows), giga(decode_ops(rows)), giga(decode_bytes(type, kv)), type,
            [&] { model.decode(rows, 100); }});
  }
}

}  // namespace

void visit_ops(ops::Ops& ops, const std::string& filter,
               const std::function<void(const OpCase&)>& visit) {
  Suite suite(ops, filter, visit);
  constexpr ComputeType kTypes[] = {ComputeType::kInt8, ComputeType::kBF16, ComputeType::kF32};
  suite.base(ComputeType::kInt8, DType::kI8);
  suite.base(ComputeType::kBF16, DType::kBF16);
  suite.base(ComputeType::kF32, DType::kF32);
  for (const ComputeType type : kTypes) suite.attention(type);
  for (const DType dtype : {DType::kI8, DType::kBF16, DType::kF32}) {
    for (const int rows : {1, 5}) {
      suite.attention_paged(dtype, rows, kNumFrames, kNumFrames);
      suite.attention_paged(dtype, rows, 224, 16);
    }
  }
  suite.rows();
  for (const ComputeType type : kTypes) {
    for (const std::int64_t m : {std::int64_t{1}, std::int64_t{5}, std::int64_t{16}, kNumFrames}) {
      suite.linear(type, m, kD, 3 * kD);
      suite.linear(type, m, kD, kF);
      suite.linear(type, m, kF, kD);
      if (m < kNumFrames) suite.linear(type, m, kD, kVocabulary);
    }
  }
}

}  // namespace steno::cli
