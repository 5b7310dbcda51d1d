// A queue between two threads that holds at most so many items: whoever is ahead waits.
// Threads: any number on both sides.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace steno {

template <typename T>
class BoundedQueue {
 public:
  explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

  // Waits for room. False, and the item is dropped, once the queue is closed.
  bool push(T item) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || items_.size() < capacity_; });
    if (is_closed_) return false;
    items_.push_back(std::move(item));
    changed_.notify_all();
    return true;
  }

  // Waits for an item. Nothing once the queue is closed and empty.
  std::optional<T> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_closed_ || !items_.empty(); });
    return take_front();
  }

  // Nothing when none comes in time, or once the queue is closed and empty.
  std::optional<T> pop_for(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return is_closed_ || !items_.empty(); });
    return take_front();
  }

  // Nothing when no item is there now.
  std::optional<T> try_pop() {
    const std::lock_guard lock(mutex_);
    return take_front();
  }

  // Closed and empty: nothing will come any more.
  bool is_drained() const {
    const std::lock_guard lock(mutex_);
    return is_closed_ && items_.empty();
  }

  // What is in it can still be taken.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    changed_.notify_all();
  }

 private:
  std::optional<T> take_front() {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    changed_.notify_all();
    return item;
  }

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<T> items_;
  bool is_closed_ = false;
};

}  // namespace steno
