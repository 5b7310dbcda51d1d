// Attention over encoded windows with keys and values in f32, bf16 and int8, at the sizes of
// Whisper base: 8 heads of 64, 1,500 keys. One thread; the three types take turns.
//
//   build/release/bench/kv_bench
// Cases: one window; eight rows with a window each, whose f32 pages are 47 MiB: no cache holds the
// keys from one step to the next, as in a decoder of several layers; eight beams of one window.
// STENO_ISA chooses the kernels.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "ops/make_ops.h"

namespace steno::ops {
namespace {

constexpr int kRounds = 25;
constexpr int kNumHeads = 8;
constexpr int kHeadDim = 64;
constexpr int kNumKeys = 1500;
constexpr std::array kTypes = {DType::kF32, DType::kBF16, DType::kI8};

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return 1e3 * static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_nsec);
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

KvPages windows_of(Ops& ops, int num_windows, DType dtype) {
  KvPages pages = ops.make_kv_pages(num_windows, kNumKeys, kNumHeads, kHeadDim, dtype);
  const Tensor kv = noise({kNumKeys, kNumHeads * kHeadDim});
  for (int w = 0; w < num_windows; ++w) {
    std::vector<KvSlot> slots;
    for (int t = 0; t < kNumKeys; ++t) slots.push_back({w, t});
    ops.store_kv(pages, kv, kv, slots);
  }
  return pages;
}

// Row r sees window r, or the only one.
void compare(Ops& ops, const char* what, int rows, int num_windows) {
  const Tensor q = noise({rows, kNumHeads * kHeadDim});
  std::vector<std::int32_t> ids(rows);
  std::vector<KvSpan> spans;
  for (int r = 0; r < rows; ++r) {
    ids[r] = r % num_windows;
    spans.push_back({std::span(ids).subspan(r, 1), kNumKeys});
  }
  std::array<KvPages, kTypes.size()> pages;
  for (std::size_t i = 0; i < kTypes.size(); ++i)
    pages[i] = windows_of(ops, num_windows, kTypes[i]);

  std::array<std::vector<double>, kTypes.size()> times_ms;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < kTypes.size(); ++i) {
      const double start_ms = cpu_ms();
      ops.attention_paged(q, pages[i], spans, {.num_heads = kNumHeads, .scale = 0.125F});
      times_ms[i].push_back(cpu_ms() - start_ms);
    }
  }
  for (std::size_t i = 0; i < kTypes.size(); ++i) {
    std::vector<double> ratios;
    for (int round = 0; round < kRounds; ++round) {
      ratios.push_back(times_ms[0][round] / times_ms[i][round]);
    }
    std::vector<double> sorted_ms = times_ms[i];
    std::ranges::sort(sorted_ms);
    std::ranges::sort(ratios);
    fmt::print("| {} | {} | {:.3f} | {:.2f} ({:.2f}-{:.2f}) |\n", what, name(kTypes[i]),
               sorted_ms[kRounds / 2], ratios[kRounds / 2], ratios[kRounds / 4],
               ratios[kRounds * 3 / 4]);
  }
}

}  // namespace
}  // namespace steno::ops

int main() {
  const std::unique_ptr<steno::ops::Ops> ops = steno::ops::make_cpu_ops(1);
  fmt::print("{}; {}\n\n| rows | type | CPU ms | times f32's speed, median and quartiles |\n",
             steno::ops::cpu_report().model, ops->description());
  fmt::print("|---|---|---|---|\n");
  steno::ops::compare(*ops, "1", 1, 1);
  steno::ops::compare(*ops, "8, a window each", 8, 8);
  steno::ops::compare(*ops, "8 beams of a window", 8, 1);
  return 0;
}
