#include "machine/peaks.h"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <numeric>
#include <vector>

#include "base/thread_pool.h"

namespace steno::machine {
namespace {

constexpr std::int64_t kNumSteps = 1 << 20;
constexpr int kNumChains = 12;  // a multiply-add takes 4 cycles and two units do them: 8 would do
constexpr int kNumTrials = 7;   // the best counts

#if defined(__x86_64__)

// kNumSteps times a multiply-add into each of twelve registers, written as instructions because a
// compiler folds what has no use. Registers 12 and 13 are the factors, 14 is free, 15 holds ones in
// 16 bits. The factors are neither 0 nor denormal in any type, which could change the speed.
#define STENO_CHAINS(ADD) \
  ADD("0")                \
  ADD("1")                \
  ADD("2") ADD("3") ADD("4") ADD("5") ADD("6") ADD("7") ADD("8") ADD("9") ADD("10") ADD("11")
#define STENO_RUN(PREPARE, ADD)                                                                \
  const std::uint32_t factors = 0x3f813f81;                                                    \
  const std::uint32_t ones = 0x00010001;                                                       \
  std::int64_t steps = kNumSteps;                                                              \
  asm volatile(PREPARE "1:\n\t" STENO_CHAINS(ADD) "dec %0\n\tjnz 1b\n\t"                       \
               : "+r"(steps)                                                                   \
               : "m"(factors), "m"(ones)                                                       \
               : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
                 "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15")

#define STENO_CLEAR(n) "vpxor %%xmm" n ", %%xmm" n ", %%xmm" n "\n\t"
#define STENO_PREPARE(w)    \
  STENO_CHAINS(STENO_CLEAR) \
  "vbroadcastss %1, %%" w "12\n\tvbroadcastss %1, %%" w "13\n\tvbroadcastss %2, %%" w "15\n\t"
#define STENO_FMA_512(n) "vfmadd231ps %%zmm12, %%zmm13, %%zmm" n "\n\t"
#define STENO_BF16_512(n) "vdpbf16ps %%zmm12, %%zmm13, %%zmm" n "\n\t"
#define STENO_INT8_512(n) "vpdpbusd %%zmm12, %%zmm13, %%zmm" n "\n\t"
#define STENO_FMA_256(n) "vfmadd231ps %%ymm12, %%ymm13, %%ymm" n "\n\t"
#define STENO_INT8_256(n)                                                                 \
  "vpmaddubsw %%ymm12, %%ymm13, %%ymm14\n\tvpmaddwd %%ymm14, %%ymm15, %%ymm14\n\tvpaddd " \
  "%%ymm14, %%ymm" n ", %%ymm" n "\n\t"
#define STENO_CLEAR_SSE(n) "xorps %%xmm" n ", %%xmm" n "\n\t"
#define STENO_PREPARE_SSE       \
  STENO_CHAINS(STENO_CLEAR_SSE) \
  "movss %1, %%xmm12\n\tshufps $0, %%xmm12, %%xmm12\n\tmovaps %%xmm12, %%xmm13\n\t"
#define STENO_F32_128(n) \
  "movaps %%xmm12, %%xmm14\n\tmulps %%xmm13, %%xmm14\n\taddps %%xmm14, %%xmm" n "\n\t"

void f32_512() {
  STENO_RUN(STENO_PREPARE("zmm"), STENO_FMA_512);
}
void bf16_512() {
  STENO_RUN(STENO_PREPARE("zmm"), STENO_BF16_512);
}
void int8_512() {
  STENO_RUN(STENO_PREPARE("zmm"), STENO_INT8_512);
}
void f32_256() {
  STENO_RUN(STENO_PREPARE("ymm"), STENO_FMA_256);
}
void int8_256() {
  STENO_RUN(STENO_PREPARE("ymm"), STENO_INT8_256);
}
void f32_128() {
  STENO_RUN(STENO_PREPARE_SSE, STENO_F32_128);
}

#endif

// A loop of kNumSteps times kNumChains instructions, and the multiply-adds of each.
struct Loop {
  void (*run)() = nullptr;  // null: no instruction for it
  int num_products = 0;
};

struct Loops {
  Loop f32, bf16, int8;
};

#if defined(__x86_64__)

Loops loops_of_this_cpu() {
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f");
  Loops loops{{f32_128, 4}, {}, {}};
  if (has_avx2) loops = {{f32_256, 8}, {}, {int8_256, 32}};
  if (has_avx512) loops.f32 = {f32_512, 16};
  if (has_avx512 && __builtin_cpu_supports("avx512bf16")) loops.bf16 = {bf16_512, 32};
  if (has_avx512 && __builtin_cpu_supports("avx512vnni")) loops.int8 = {int8_512, 64};
  return loops;
}

#else

// Four lanes, as the compiler puts them into instructions.
void f32_plain() {
  typedef float Vector __attribute__((vector_size(16)));
  Vector sums[kNumChains] = {};
  Vector factor = {1.01F, 1.01F, 1.01F, 1.01F};
  for (std::int64_t step = 0; step < kNumSteps; ++step) {
    asm volatile("" : "+m"(factor));
    for (Vector& sum : sums) sum += factor * factor;
  }
  asm volatile("" : : "m"(sums));
}

Loops loops_of_this_cpu() {
  return {{f32_plain, 4}, {}, {}};
}

#endif

double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The least CPU seconds of `work`, which all threads do at the same time; their mean.
double least_seconds(ThreadPool& threads, const std::function<void(int worker)>& work) {
  const auto num_threads = static_cast<std::size_t>(threads.num_threads());
  std::vector<double> least(num_threads, 1e9);
  for (int trial = 0; trial < kNumTrials; ++trial) {
    threads.parallel_for(num_threads, 1, [&](std::size_t begin, std::size_t, int) {
      const double start = thread_cpu_seconds();
      work(static_cast<int>(begin));
      least[begin] = std::min(least[begin], thread_cpu_seconds() - start);
    });
  }
  double sum = 0;
  for (const double seconds : least) sum += seconds;
  return sum / static_cast<double>(num_threads);
}

double gops_of(ThreadPool& threads, const Loop& loop) {
  const double seconds = least_seconds(threads, [&](int) { loop.run(); });
  return 2e-9 * loop.num_products * kNumChains * static_cast<double>(kNumSteps) / seconds;
}

std::optional<double> optional_gops_of(ThreadPool& threads, const Loop& loop) {
  if (loop.run == nullptr) return std::nullopt;
  return gops_of(threads, loop);
}

// The sum of all words, a cache line of each of eight parts in turn: a core that reads one place
// after the other waits for memory and gets two thirds of it (Xeon at 2.8 GHz: 9.9 against
// 16.3 GB/s). Requires a multiple of kNumParts * kLineWords.
std::uint64_t sum_of(const std::vector<std::uint64_t>& words) {
  constexpr std::size_t kNumParts = 8;
  constexpr std::size_t kLineWords = 8;
  constexpr std::size_t kWordsAhead = 8 * kLineWords;
  const std::size_t part_words = words.size() / kNumParts;
  std::uint64_t sums[kLineWords] = {};
  for (std::size_t i = 0; i < part_words; i += kLineWords) {
    for (std::size_t part = 0; part < kNumParts; ++part) {
      const std::uint64_t* line = words.data() + part * part_words + i;
      __builtin_prefetch(line + kWordsAhead);
      for (std::size_t j = 0; j < kLineWords; ++j) sums[j] += line[j];
    }
  }
  return std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
}

double read_gbytes_of(ThreadPool& threads) {
  constexpr std::size_t kLeastBytes = std::size_t{32} << 20;
  constexpr std::size_t kBytesOfAll = std::size_t{256} << 20;  // more than caches hold
  const auto num_threads = static_cast<std::size_t>(threads.num_threads());
  constexpr std::size_t kGranuleBytes = 4096;
  const std::size_t num_bytes =
      std::max(kLeastBytes, kBytesOfAll / num_threads) / kGranuleBytes * kGranuleBytes;
  std::vector<std::vector<std::uint64_t>> arrays(num_threads);
  for (auto& array : arrays) array.assign(num_bytes / sizeof(std::uint64_t), 1);
  std::vector<std::uint64_t> sums(num_threads);
  const double seconds =
      least_seconds(threads, [&](int worker) { sums[worker] = sum_of(arrays[worker]); });
  asm volatile("" : : "m"(*sums.data()));  // they are wanted
  return 1e-9 * static_cast<double>(num_bytes) / seconds;
}

}  // namespace

Peaks measure_peaks(int num_threads) {
  ThreadPool threads(num_threads);
  const Loops loops = loops_of_this_cpu();
  Peaks peaks;
  peaks.f32_gops = gops_of(threads, loops.f32);
  peaks.bf16_gops = optional_gops_of(threads, loops.bf16);
  peaks.int8_gops = optional_gops_of(threads, loops.int8);
  peaks.read_gbytes = read_gbytes_of(threads);
  return peaks;
}

}  // namespace steno::machine
