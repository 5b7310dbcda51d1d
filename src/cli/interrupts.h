// Ctrl-C, SIGTERM and a closed terminal (SIGHUP) end the program at once, except while a file is
// written: that is finished first, so that nothing is left half-written, unless a second signal
// comes. A closed pipe and a file beyond the size limit are failed writes, not signals.
//
// Threads: handlers may run on any thread; Uninterrupted belongs to the main one.
#pragma once

namespace steno::cli {

void install_signal_handlers();

// While one lives, SIGINT, SIGTERM and SIGHUP wait. Not nested.
class Uninterrupted {
 public:
  Uninterrupted();
  ~Uninterrupted();
  Uninterrupted(const Uninterrupted&) = delete;
  Uninterrupted& operator=(const Uninterrupted&) = delete;
};

}  // namespace steno::cli
