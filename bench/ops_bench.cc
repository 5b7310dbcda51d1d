// How fast the ops are at the sizes of Whisper base: medians of repeated calls.
//
//   build/release/bench/ops_bench [threads]
// Wall time is what a user waits; CPU time, of all threads together, is what to compare on a
// machine that others use too (one thread gives the cleanest numbers). STENO_ISA chooses the
// kernels.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "ops/make_ops.h"

namespace steno::ops {
namespace {

constexpr double kMillisecondsPerRow = 400;

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
}

double wall_ms() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::milli>(Clock::now().time_since_epoch()).count();
}

double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// `giga`: operations of a call, in 1e9.
void report(const std::string& what, double giga, const std::function<void()>& work) {
  std::vector<double> wall;
  std::vector<double> cpu;
  const double start_ms = wall_ms();
  while (wall.size() < 5 || wall_ms() - start_ms < kMillisecondsPerRow) {
    const double wall_start_ms = wall_ms();
    const double cpu_start_ms = cpu_ms();
    work();
    cpu.push_back(cpu_ms() - cpu_start_ms);
    wall.push_back(wall_ms() - wall_start_ms);
  }
  const double cpu_median_ms = median(cpu);
  fmt::print("{:<46} wall {:9.3f} ms  cpu {:9.3f} ms (best {:9.3f})", what, median(wall),
             cpu_median_ms, cpu.front());
  if (giga > 0)
    fmt::print("  {:5.0f} GOP/s a core (best {:5.0f})", 1e3 * giga / cpu_median_ms,
               1e3 * giga / cpu.front());
  fmt::print("\n");
}

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

void bench_linear(Ops& ops, ComputeType type) {
  struct Size {
    std::int64_t m, k, n;
  };
  for (const Size& s :
       {Size{1500, 512, 512}, Size{1500, 512, 1536}, Size{1500, 512, 2048}, Size{1500, 2048, 512},
        Size{1, 512, 512}, Size{5, 512, 512}, Size{1, 512, 2048}, Size{1, 512, 51865},
        Size{5, 512, 51865}, Size{16, 512, 51865}}) {
    const Weight w = ops.pack(noise({s.n, s.k}), noise({s.n}), type);
    const Tensor x = noise({s.m, s.k});
    report(fmt::format("linear {} {}x{}x{}", name(type), s.m, s.k, s.n),
           2e-9 * static_cast<double>(s.m * s.k * s.n), [&] { ops.linear(x, w); });
  }
}

void bench_rows(Ops& ops) {
  const Tensor x = noise({1500, 512});
  const Tensor hidden = noise({1500, 2048});
  const Tensor gamma = noise({512});
  report("layer_norm 1500x512", 0, [&] { ops.layer_norm(x, gamma, gamma, 1e-5F); });
  report("gelu 1500x2048", 0, [&] { ops.gelu(hidden); });
  report("add 1500x512", 0, [&] { ops.add(x, x); });
}

void bench_attention(Ops& ops) {
  const Tensor qkv = noise({1, 1500, 1536});
  for (const ComputeType type : {ComputeType::kF32, ComputeType::kBF16}) {
    report(fmt::format("attention {} 1500x8x64", name(type)), 4e-9 * 1500 * 1500 * 512, [&] {
      ops.attention(Columns(qkv, 0, 512), Columns(qkv, 512, 1024), Columns(qkv, 1024, 1536),
                    {.num_heads = 8, .scale = 0.125F}, type);
    });
  }
}

// Cross-attention of one window and self-attention in pages of 16 tokens.
void bench_paged(Ops& ops, DType dtype) {
  for (const auto& [page_tokens, num_keys] : {std::pair{1500, 1500}, std::pair{16, 224}}) {
    const int num_pages = (num_keys + page_tokens - 1) / page_tokens;
    KvPages pages = ops.make_kv_pages(num_pages, page_tokens, 8, 64, dtype);
    std::vector<KvSlot> slots;
    for (int t = 0; t < num_keys; ++t) slots.push_back({t / page_tokens, t % page_tokens});
    const Tensor kv = noise({num_keys, 1024});
    report(fmt::format("store_kv {} {} rows, pages of {}", name(dtype), num_keys, page_tokens), 0,
           [&] { ops.store_kv(pages, Columns(kv, 0, 512), Columns(kv, 512, 1024), slots); });
    std::vector<std::int32_t> ids(num_pages);
    std::iota(ids.begin(), ids.end(), 0);
    for (const int rows : {1, 5}) {
      const Tensor q = noise({rows, 512});
      const std::vector<KvSpan> spans(rows, KvSpan{ids, num_keys});
      report(fmt::format("attention_paged {} {}x{}, pages of {}", name(dtype), rows, num_keys,
                         page_tokens),
             4e-9 * rows * num_keys * 512,
             [&] { ops.attention_paged(q, pages, spans, {.num_heads = 8, .scale = 0.125F}); });
    }
  }
}

// The ops of a transformer of Whisper base's size, with weights that mean nothing.
struct Base {
  static constexpr int kLayers = 6;
  static constexpr std::int64_t kD = 512;
  static constexpr std::int64_t kF = 2048;

  struct Layer {
    Weight qkv, out, cross_q, cross_out, fc1, fc2;
    KvPages self, cross;
  };
  std::vector<Layer> layers;
  Weight conv1, conv2, vocabulary;
  Tensor gamma = noise({kD});

  Base(Ops& ops, ComputeType type, DType kv) {
    const auto weight = [&](std::int64_t n, std::int64_t k) {
      return ops.pack(noise({n, k}), noise({n}), type);
    };
    conv1 = weight(kD, 240);
    conv2 = weight(kD, 3 * kD);
    vocabulary = weight(51865, kD);
    for (int l = 0; l < kLayers; ++l) {
      layers.push_back({weight(3 * kD, kD), weight(kD, kD), weight(kD, kD), weight(kD, kD),
                        weight(kF, kD), weight(kD, kF), ops.make_kv_pages(28, 16, 8, 64, kv),
                        ops.make_kv_pages(1, 1500, 8, 64, kv)});
      std::vector<KvSlot> slots;
      for (int t = 0; t < 1500; ++t) slots.push_back({0, t});
      const Tensor x = noise({1500, kD});
      ops.store_kv(layers.back().cross, x, x, slots);
      for (int t = 0; t < 448; ++t) slots[t] = {t / 16, t % 16};
      ops.store_kv(layers.back().self, x.slice(0, 448), x.slice(0, 448),
                   std::span(slots).first(448));
    }
  }

  Tensor feed_forward(Ops& ops, const Tensor& x, const Layer& layer) const {
    const Tensor normed = ops.layer_norm(x, gamma, gamma, 1e-5F);
    const Tensor hidden = ops.linear(normed, layer.fc1, {.activation = Activation::kGelu});
    return ops.linear(hidden, layer.fc2, {.residual = &x});
  }

  void encode(Ops& ops, const Tensor& mel, ComputeType type) const {
    Tensor x = ops.conv1d(mel, conv1, {.activation = Activation::kGelu});
    x = ops.conv1d(x, conv2, {.stride = 2, .activation = Activation::kGelu});
    for (const Layer& layer : layers) {
      const Tensor qkv = ops.linear(ops.layer_norm(x, gamma, gamma, 1e-5F), layer.qkv);
      const Tensor seen =
          ops.attention(Columns(qkv, 0, kD), Columns(qkv, kD, 2 * kD), Columns(qkv, 2 * kD, 3 * kD),
                        {.num_heads = 8, .scale = 0.125F}, type);
      x = feed_forward(ops, ops.linear(seen, layer.out, {.residual = &x}), layer);
    }
  }

  void decode(Ops& ops, int rows, int num_keys) {
    std::vector<std::int32_t> ids(28);
    std::iota(ids.begin(), ids.end(), 0);
    const std::vector<KvSpan> self(rows, KvSpan{ids, num_keys});
    const std::vector<KvSpan> cross(rows, KvSpan{std::span(ids).first(1), 1500});
    const std::vector<KvSlot> slots(rows, KvSlot{num_keys / 16, num_keys % 16});
    const AttentionOptions options{.num_heads = 8, .scale = 0.125F};
    Tensor x = noise({rows, kD});
    for (Layer& layer : layers) {
      const Tensor qkv = ops.linear(ops.layer_norm(x, gamma, gamma, 1e-5F), layer.qkv);
      ops.store_kv(layer.self, Columns(qkv, kD, 2 * kD), Columns(qkv, 2 * kD, 3 * kD), slots);
      const Tensor seen = ops.attention_paged(Columns(qkv, 0, kD), layer.self, self, options);
      x = ops.linear(seen, layer.out, {.residual = &x});
      const Tensor q = ops.linear(ops.layer_norm(x, gamma, gamma, 1e-5F), layer.cross_q);
      const Tensor heard = ops.attention_paged(q, layer.cross, cross, options);
      x = feed_forward(ops, ops.linear(heard, layer.cross_out, {.residual = &x}), layer);
    }
    ops.linear(ops.layer_norm(x, gamma, gamma, 1e-5F), vocabulary);
  }
};

void bench_base(Ops& ops, ComputeType type, DType kv) {
  Base base(ops, type, kv);
  const Tensor mel = noise({1, 3000, 80});
  report(fmt::format("Whisper base encoder {}", name(type)), 87.4,
         [&] { base.encode(ops, mel, type); });
  for (const int rows : {1, 5, 16}) {
    report(fmt::format("Whisper base decode {}, kv {}, {} rows", name(type), name(kv), rows), 0,
           [&] { base.decode(ops, rows, 100); });
  }
}

void run(int num_threads) {
  const std::unique_ptr<Ops> ops = make_cpu_ops(num_threads);
  fmt::print("{}; {}\n", cpu_report().model, ops->description());
  bench_base(*ops, ComputeType::kInt8, DType::kBF16);
  bench_base(*ops, ComputeType::kBF16, DType::kBF16);
  bench_base(*ops, ComputeType::kF32, DType::kF32);
  bench_attention(*ops);
  bench_paged(*ops, DType::kF32);
  bench_paged(*ops, DType::kBF16);
  bench_paged(*ops, DType::kI8);
  bench_rows(*ops);
  for (const ComputeType type : {ComputeType::kInt8, ComputeType::kBF16, ComputeType::kF32}) {
    bench_linear(*ops, type);
  }
}

}  // namespace
}  // namespace steno::ops

int main(int argc, char** argv) {
  steno::ops::run(argc > 1 ? std::atoi(argv[1]) : 2);
  return 0;
}
