#include "base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"

namespace steno {
namespace {

// A waiting thread looks this many times for new work before it sleeps. 2,000 looks take some 30
// us: longer than the gaps between the ops of a decode step, far shorter than a scheduler's time
// slice.
constexpr int kSpinsBeforeSleep = 2000;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

struct ThreadPool::State {
  int num_threads = 1;

  // One job at a time. Workers take part in a job when its generation is new to them.
  const std::function<void(std::size_t, std::size_t, int)>* body = nullptr;
  std::size_t size = 0;
  std::size_t grain = 1;
  std::atomic<std::size_t> next{0};
  std::atomic<std::uint64_t> generation{0};
  std::atomic<int> num_working{0};
  std::atomic<bool> stop{false};

  std::mutex mutex;
  std::condition_variable start;
  std::condition_variable done;
  std::exception_ptr first_error;

  std::vector<std::thread> threads;

  void run_pieces(int worker) {
    while (true) {
      const std::size_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= size) return;
      try {
        (*body)(begin, std::min(begin + grain, size), worker);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (first_error == nullptr) first_error = std::current_exception();
      }
    }
  }

  // Waits for a generation other than `seen`; false when the pool ends.
  bool wait_for_job(std::uint64_t seen) {
    for (int i = 0; i < kSpinsBeforeSleep; ++i) {
      if (generation.load(std::memory_order_acquire) != seen || stop.load()) break;
      relax();
    }
    if (generation.load(std::memory_order_acquire) == seen && !stop.load()) {
      std::unique_lock lock(mutex);
      start.wait(lock, [&] { return generation.load() != seen || stop.load(); });
    }
    return !stop.load();
  }

  void work(int worker) {
    std::uint64_t seen = 0;
    while (wait_for_job(seen)) {
      seen = generation.load(std::memory_order_acquire);
      run_pieces(worker);
      if (num_working.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        const std::lock_guard lock(mutex);  // the caller may be between its look and its sleep
        done.notify_one();
      }
    }
  }

  void wait_until_done() {
    for (int i = 0; i < kSpinsBeforeSleep; ++i) {
      if (num_working.load(std::memory_order_acquire) == 0) return;
      relax();
    }
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return num_working.load(std::memory_order_acquire) == 0; });
  }
};

ThreadPool::ThreadPool(int num_threads) : state_(std::make_unique<State>()) {
  STENO_CHECK(num_threads >= 1, "{} threads", num_threads);
  state_->num_threads = num_threads;
  for (int worker = 1; worker < num_threads; ++worker) {
    state_->threads.emplace_back([state = state_.get(), worker] { state->work(worker); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stop = true;
  }
  state_->start.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

int ThreadPool::num_threads() const {
  return state_->num_threads;
}

void ThreadPool::parallel_for(
    std::size_t size, std::size_t grain,
    const std::function<void(std::size_t begin, std::size_t end, int worker)>& body) {
  STENO_CHECK(grain >= 1, "grain 0");
  if (state_->num_threads == 1 || size <= grain) {
    for (std::size_t begin = 0; begin < size; begin += grain) {
      body(begin, std::min(begin + grain, size), 0);
    }
    return;
  }
  State& s = *state_;
  s.body = &body;
  s.size = size;
  s.grain = grain;
  s.next.store(0, std::memory_order_relaxed);
  s.num_working.store(s.num_threads - 1, std::memory_order_relaxed);
  {
    const std::lock_guard lock(s.mutex);
    s.generation.fetch_add(1, std::memory_order_release);
  }
  s.start.notify_all();
  s.run_pieces(0);
  s.wait_until_done();
  if (s.first_error != nullptr) std::rethrow_exception(std::exchange(s.first_error, nullptr));
}

namespace {

// The quota of cgroup v2 ("max 100000" or "150000 100000") in whole cores, or 0 when there is none.
int cgroup_quota_cores() {
  std::ifstream file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max" || period <= 0) return 0;
  try {
    return std::max(1, static_cast<int>(std::stod(quota) / period + 0.5));
  } catch (const std::exception&) {
    return 0;
  }
}

}  // namespace

int num_usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int cores = sched_getaffinity(0, sizeof set, &set) == 0
                  ? CPU_COUNT(&set)
                  : static_cast<int>(std::thread::hardware_concurrency());
  const int quota = cgroup_quota_cores();
  if (quota > 0) cores = std::min(cores, quota);
  return std::max(1, cores);
}

}  // namespace steno
