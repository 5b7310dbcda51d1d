// Several inputs recognised at a time, so that the windows of all share the engine's batches.
//
// Path: cli/transcribe_files -> here -> recognizer.
// Threads: take_next() and status() belong to the caller's; each input runs on one of the workers.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/bounded_queue.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/recognizer.h"

namespace steno::cli {

// Short files fill the engine's batches together; a seek loop keeps its features in memory.
int num_at_once(const TranscribeArguments& arguments);

struct Recognition {
  std::size_t index = 0;  // of the input
  std::variant<transcribe::Transcript, Failure> outcome;
};

class Recognitions {
 public:
  // `num_at_once` >= 1 inputs. In order: results come in the order of the inputs, else as they end.
  Recognitions(Recognizer& recognizer, std::vector<std::string> inputs, int num_at_once,
               bool is_ordered);
  // Waits for what was begun.
  ~Recognitions();
  Recognitions(const Recognitions&) = delete;
  Recognitions& operator=(const Recognitions&) = delete;

  // Nothing after the last, or when none is ready yet within `patience`.
  std::optional<Recognition> take_next(std::chrono::milliseconds patience);
  bool is_done() const { return num_taken_ == inputs_.size(); }

  // How far the input is that was begun first of those that still run.
  std::optional<FileProgress> status() const;

 private:
  using Clock = std::chrono::steady_clock;

  void work();
  void note_begin(std::size_t index);
  Recognition recognize(std::size_t index);
  std::optional<Recognition> take_in_order();

  Recognizer& recognizer_;
  const std::vector<std::string> inputs_;
  bool is_ordered_;
  std::atomic<std::size_t> num_begun_{0};
  std::size_t num_taken_ = 0;
  BoundedQueue<Recognition> ended_;
  std::map<std::size_t, Recognition> early_;  // ended before one that comes before them

  mutable std::mutex mutex_;
  struct Running {
    FileProgress progress;
    Clock::time_point begin;
  };
  std::map<std::size_t, Running> running_;
  std::vector<std::thread> workers_;
};

}  // namespace steno::cli
