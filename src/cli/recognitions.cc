#include "cli/recognitions.h"

#include <algorithm>
#include <utility>

namespace steno::cli {

int num_at_once(const TranscribeArguments& arguments) {
  return arguments.options.mode == transcribe::Mode::kParallel ? 8 : 2;
}

Recognitions::Recognitions(Recognizer& recognizer, std::vector<std::string> inputs, int num_at_once,
                           bool is_ordered)
    : recognizer_(recognizer),
      inputs_(std::move(inputs)),
      is_ordered_(is_ordered),
      ended_(inputs_.size() + 1) {      // a worker never waits for the reader of results
  if (!inputs_.empty()) note_begin(0);  // there is a status from the first moment on
  const std::size_t num_workers = std::min(inputs_.size(), static_cast<std::size_t>(num_at_once));
  for (std::size_t i = 0; i < num_workers; ++i) workers_.emplace_back([this] { work(); });
}

Recognitions::~Recognitions() {
  num_begun_ = inputs_.size();
  for (std::thread& worker : workers_) worker.join();
}

void Recognitions::work() {
  for (std::size_t i = num_begun_++; i < inputs_.size(); i = num_begun_++) {
    Recognition recognition = recognize(i);
    {
      const std::lock_guard lock(mutex_);
      running_.erase(i);
    }
    ended_.push(std::move(recognition));
  }
}

void Recognitions::note_begin(std::size_t index) {
  const std::lock_guard lock(mutex_);
  Running& running = running_[index];
  running.progress.name = inputs_[index];
  running.progress.index = static_cast<int>(index) + 1;
  running.progress.num_files = static_cast<int>(inputs_.size());
  running.begin = Clock::now();
}

Recognition Recognitions::recognize(std::size_t index) {
  note_begin(index);
  try {
    return {index, recognizer_.run(inputs_[index], [&](const transcribe::Progress& now) {
              const std::lock_guard lock(mutex_);
              FileProgress& progress = running_.at(index).progress;
              progress.audio_s_done = now.done_s;
              progress.audio_s_total = now.total_s;
            })};
  } catch (...) {
    return {index, current_failure()};
  }
}

std::optional<Recognition> Recognitions::take_next(std::chrono::milliseconds patience) {
  if (std::optional<Recognition> next = take_in_order()) return next;
  std::optional<Recognition> ended = ended_.pop_for(patience);
  if (!ended) return std::nullopt;
  early_.emplace(ended->index, std::move(*ended));
  return take_in_order();
}

std::optional<Recognition> Recognitions::take_in_order() {
  if (early_.empty() || (is_ordered_ && early_.begin()->first != num_taken_)) return std::nullopt;
  ++num_taken_;
  return std::move(early_.extract(early_.begin()).mapped());
}

std::optional<FileProgress> Recognitions::status() const {
  const std::lock_guard lock(mutex_);
  if (running_.empty()) return std::nullopt;
  const Running& first = running_.begin()->second;
  FileProgress progress = first.progress;
  progress.wall_s = std::chrono::duration<double>(Clock::now() - first.begin).count();
  return progress;
}

}  // namespace steno::cli
