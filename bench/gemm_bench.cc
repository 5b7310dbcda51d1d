// Our linear layer against oneDNN's matmul at the sizes of Whisper base, one thread each, in turn.
//
//   build/release/bench/gemm_bench
// Ours is the whole layer: quantising the rows, the product, scales and bias. oneDNN's is the bare
// product of operands that are quantised already, so a ratio of 1 means that all the rest costs
// nothing.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "ops/make_ops.h"
#include "support/onednn_matmul.h"

namespace steno {
namespace {

constexpr int kPairs = 15;

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Of so many calls that they take some 20 ms.
double seconds_of(int calls, const std::function<void()>& work) {
  const double start = cpu_seconds();
  for (int i = 0; i < calls; ++i) work();
  return (cpu_seconds() - start) / calls;
}

void compare(const char* type, std::int64_t m, std::int64_t k, std::int64_t n,
             const std::function<void()>& ours, const std::function<void()>& theirs) {
  const double giga = 2e-9 * static_cast<double>(m * k * n);
  const int calls = std::max(1, static_cast<int>(2 / giga));
  std::vector<double> rates;
  std::vector<double> ratios;
  ours();
  theirs();
  for (int i = 0; i < kPairs; ++i) {
    const double a = seconds_of(calls, ours);
    const double b = seconds_of(calls, theirs);
    rates.push_back(giga / a);
    ratios.push_back(b / a);
  }
  std::sort(rates.begin(), rates.end());
  std::sort(ratios.begin(), ratios.end());
  fmt::print("| {} | {} x {} x {} | {:.0f} | {:.2f} ({:.2f}-{:.2f}) |\n", type, m, k, n,
             rates[kPairs / 2], ratios[kPairs / 2], ratios.front(), ratios.back());
}

void compare_size(ops::Ops& ops, std::int64_t m, std::int64_t k, std::int64_t n) {
  Tensor x = Tensor::make({m, k});
  Tensor w = Tensor::make({n, k});
  for (std::int64_t i = 0; i < m * k; ++i)
    x.data<float>()[i] = static_cast<float>(i * 37 % 255 - 127);
  for (std::int64_t i = 0; i < n * k; ++i)
    w.data<float>()[i] = static_cast<float>(i * 91 % 255 - 127);
  const std::vector<std::int8_t> x8(x.data<float>(), x.data<float>() + m * k);
  const std::vector<std::int8_t> w8(w.data<float>(), w.data<float>() + n * k);

  const ops::Weight f32 = ops.pack(w, {}, ops::ComputeType::kF32);
  test::OneDnnMatmul<float> dnnl_f32(m, k, n, w.data<float>());
  std::vector<float> y(static_cast<std::size_t>(m * n));
  compare(
      "f32", m, k, n, [&] { ops.linear(x, f32); },
      [&] { dnnl_f32.multiply(x.data<float>(), y.data()); });

  const ops::Weight int8 = ops.pack(w, {}, ops::ComputeType::kInt8);
  test::OneDnnMatmul<std::int8_t> dnnl_int8(m, k, n, w8.data());
  std::vector<std::int32_t> sums(static_cast<std::size_t>(m * n));
  compare(
      "int8", m, k, n, [&] { ops.linear(x, int8); },
      [&] { dnnl_int8.multiply(x8.data(), sums.data()); });
}

}  // namespace
}  // namespace steno

int main() {
  const std::unique_ptr<steno::ops::Ops> ops = steno::ops::make_cpu_ops(1);
  fmt::print(
      "{}; oneDNN {}.{}.{}\n\n| type | M x K x N | ours, GOP/s | times oneDNN's speed "
      "|\n|---|---|---|---|\n",
      ops->description(), dnnl::version()->major, dnnl::version()->minor, dnnl::version()->patch);
  const std::int64_t sizes[][3] = {{1500, 512, 1536}, {1500, 512, 512}, {1500, 512, 2048},
                                   {1500, 2048, 512}, {5, 512, 1536},   {1, 512, 1536},
                                   {1, 512, 51865}};
  for (const auto& s : sizes) steno::compare_size(*ops, s[0], s[1], s[2]);
  return 0;
}
