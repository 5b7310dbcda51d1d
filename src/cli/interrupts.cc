#include "cli/interrupts.h"

#include <atomic>
#include <csignal>

namespace steno::cli {
namespace {

std::atomic<bool> is_writing{false};
std::atomic<int> pending_signal{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may not wait for a lock");

// Dying of the signal itself, and not by exit(130), tells a shell script that it was interrupted.
void end_by(int signal_number) {
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void on_signal(int signal_number) {
  // The second one does not wait: a result may go to a pipe that nobody reads.
  if (is_writing.load() && pending_signal.exchange(signal_number) == 0) return;
  end_by(signal_number);
}

}  // namespace

void install_signal_handlers() {
  // A closed pipe and a file beyond `ulimit -f` are failed writes.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  for (const int signal_number : {SIGINT, SIGTERM, SIGHUP}) {
    // nohup and background jobs of a script start with signals ignored; that is to stay.
    if (std::signal(signal_number, on_signal) == SIG_IGN) std::signal(signal_number, SIG_IGN);
  }
}

Uninterrupted::Uninterrupted() {
  is_writing.store(true);
}

Uninterrupted::~Uninterrupted() {
  is_writing.store(false);
  if (const int signal_number = pending_signal.exchange(0); signal_number != 0) {
    end_by(signal_number);
  }
}

}  // namespace steno::cli
