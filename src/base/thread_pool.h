// A fixed team of threads that runs index ranges: parallel_for and nothing else.
//
// Why not OpenMP: its barriers stall for milliseconds when another process takes a core (measured
// 8 ms for a 46 us matmul). Here the work is handed out by an atomic counter in small pieces, so a
// core that is taken away delays only the piece it holds, and the waiters sleep instead of burning
// the core. Threads: parallel_for may be called from one thread at a time; it returns when all
// pieces are done.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace steno {

class ThreadPool {
 public:
  // `num_threads` counts the caller: 1 means no thread is started. Requires num_threads >= 1.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const;

  // Calls body(begin, end, worker) on pieces of [0, size) of at most `grain` indices each; `worker`
  // is in [0, num_threads). The first exception a piece throws is rethrown here after all pieces
  // ended.
  void parallel_for(
      std::size_t size, std::size_t grain,
      const std::function<void(std::size_t begin, std::size_t end, int worker)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Cores this process may use: the affinity mask and the cgroup CPU quota, at least 1.
int num_usable_cores();

}  // namespace steno
