// The reading of windows on a thread of its own, a few ahead of the engine, with their features.
// Path: transcribe/window_reader -> here -> transcribe/parallel.
// Threads: the caller's and its own; what next_window reads belongs to it until it is gone.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <thread>

#include "base/bounded_queue.h"
#include "tensor/tensor.h"
#include "transcribe/window_reader.h"

namespace steno::transcribe {

struct Prepared {
  AudioWindow audio;
  Tensor mel;  // [F, num_mels], scaled by its own loudness
};

// Nothing at the end.
using NextWindow = std::function<std::optional<AudioWindow>()>;
using MakeMel = std::function<Tensor(const AudioWindow&)>;

class ReadAhead {
 public:
  // Both are called on a thread of its own.
  ReadAhead(NextWindow next_window, MakeMel make_mel, std::size_t num_ahead);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Waits. Nothing at the end.
  std::optional<Prepared> next() { return queue_.pop(); }
  // Nothing when none is ready.
  std::optional<Prepared> try_next() { return queue_.try_pop(); }
  // Throws what next_window threw.
  bool has_ended() const;

 private:
  void run();

  NextWindow next_window_;
  MakeMel make_mel_;
  BoundedQueue<Prepared> queue_;
  std::exception_ptr error_;  // written before the queue is closed
  std::thread thread_;
};

}  // namespace steno::transcribe
