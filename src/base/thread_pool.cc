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
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"

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

  // One job at a time. `phase` is its number, whether it still takes workers, and how many are
  // inside: a worker that wakes up too late finds the job closed and is not waited for.
  static constexpr std::uint64_t kInside = 0xffff;
  static constexpr std::uint64_t kOpen = 0x10000;
  static constexpr std::uint64_t kNextJob = 0x20000;
  std::atomic<std::uint64_t> phase{0};
  std::atomic<bool> stop{false};

  const std::function<void(std::size_t, std::size_t, int)>* body = nullptr;
  std::size_t size = 0;
  std::size_t grain = 1;
  std::atomic<std::size_t> next{0};

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

  bool has_news(std::uint64_t seen_job) const {
    return phase.load(std::memory_order_acquire) / kNextJob != seen_job || stop.load();
  }

  // Waits for a job other than `seen_job`; false when the pool ends.
  bool wait_for_job(std::uint64_t seen_job) {
    for (int i = 0; i < kSpinsBeforeSleep && !has_news(seen_job); ++i) relax();
    if (!has_news(seen_job)) {
      std::unique_lock lock(mutex);
      start.wait(lock, [&] { return has_news(seen_job); });
    }
    return !stop.load();
  }

  // Counts a worker in, unless the job is over. Returns the job's number either way.
  std::pair<bool, std::uint64_t> try_enter() {
    std::uint64_t now = phase.load(std::memory_order_acquire);
    while ((now & kOpen) != 0) {
      if (phase.compare_exchange_weak(now, now + 1, std::memory_order_acq_rel)) {
        return {true, now / kNextJob};
      }
    }
    return {false, now / kNextJob};
  }

  void leave() {
    const std::uint64_t before = phase.fetch_sub(1, std::memory_order_acq_rel);
    if ((before & kOpen) != 0 || (before & kInside) != 1) return;
    const std::lock_guard lock(mutex);  // the caller may be between its look and its sleep
    done.notify_one();
  }

  void work(int worker) {
    std::uint64_t seen_job = 0;
    while (wait_for_job(seen_job)) {
      const auto [entered, job] = try_enter();
      seen_job = job;
      if (!entered) continue;
      run_pieces(worker);
      leave();
    }
  }

  void open() {
    {
      const std::lock_guard lock(mutex);
      const std::uint64_t job = phase.load(std::memory_order_relaxed) / kNextJob + 1;
      phase.store(job * kNextJob + kOpen, std::memory_order_release);
    }
    start.notify_all();
  }

  void close_and_wait() {
    phase.fetch_and(~kOpen, std::memory_order_acq_rel);
    const auto is_empty = [&] { return (phase.load(std::memory_order_acquire) & kInside) == 0; };
    for (int i = 0; i < kSpinsBeforeSleep; ++i) {
      if (is_empty()) return;
      relax();
    }
    std::unique_lock lock(mutex);
    done.wait(lock, is_empty);
  }

  void end_threads() {
    {
      const std::lock_guard lock(mutex);
      stop = true;
    }
    start.notify_all();
    for (std::thread& thread : threads) thread.join();
  }
};

ThreadPool::ThreadPool(int num_threads) : state_(std::make_unique<State>()) {
  STENO_CHECK(num_threads >= 1, "{} threads", num_threads);
  state_->num_threads = num_threads;
  try {
    for (int worker = 1; worker < num_threads; ++worker) {
      state_->threads.emplace_back([state = state_.get(), worker] { state->work(worker); });
    }
  } catch (const std::system_error& error) {
    const std::size_t num_started = state_->threads.size() + 1;
    state_->end_threads();
    throw Error(ErrorCode::kUnavailable,
                "only {} of {} threads could be started: {}; ask for fewer", num_started,
                num_threads, error.code().message());
  } catch (...) {
    state_->end_threads();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  state_->end_threads();
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
  s.open();
  s.run_pieces(0);
  s.close_and_wait();
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
