#include "transcribe/read_ahead.h"

#include <utility>

namespace steno::transcribe {

ReadAhead::ReadAhead(NextWindow next_window, MakeMel make_mel, std::size_t num_ahead)
    : next_window_(std::move(next_window)),
      make_mel_(std::move(make_mel)),
      queue_(num_ahead),
      thread_([this] { run(); }) {}

ReadAhead::~ReadAhead() {
  queue_.close();
  thread_.join();
}

bool ReadAhead::has_ended() const {
  if (!queue_.is_drained()) return false;
  if (error_) std::rethrow_exception(error_);
  return true;
}

void ReadAhead::run() {
  try {
    while (std::optional<AudioWindow> window = next_window_()) {
      Tensor mel = make_mel_(*window);
      if (!queue_.push({std::move(*window), std::move(mel)})) return;
    }
  } catch (...) {
    error_ = std::current_exception();
  }
  queue_.close();
}

}  // namespace steno::transcribe
