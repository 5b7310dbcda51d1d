#include "transcribe/read_ahead.h"

#include <utility>

#include "features/log_mel.h"

namespace steno::transcribe {

ReadAhead::ReadAhead(NextWindow next_window, int num_mels, std::size_t num_ahead)
    : next_window_(std::move(next_window)),
      queue_(num_ahead),
      thread_([this, num_mels] { run(num_mels); }) {}

ReadAhead::~ReadAhead() {
  queue_.close();
  thread_.join();
}

bool ReadAhead::has_ended() const {
  if (!queue_.is_drained()) return false;
  if (error_) std::rethrow_exception(error_);
  return true;
}

void ReadAhead::run(int num_mels) {
  try {
    while (std::optional<AudioWindow> window = next_window_()) {
      Tensor mel = features::log_mel_window(window->pcm, num_mels);
      if (!queue_.push({std::move(*window), std::move(mel)})) return;
    }
  } catch (...) {
    error_ = std::current_exception();
  }
  queue_.close();
}

}  // namespace steno::transcribe
