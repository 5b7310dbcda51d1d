// The program `steno`.   Path: here -> program -> *_command -> the doors' rooms.
#include <malloc.h>

#include "base/log.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/outcome.h"
#include "cli/program.h"

// Windows of audio come and go by the thousand, 2 MB each, between threads. Left to itself glibc
// learns to keep them in its heaps, which then grow with the length of the recording.
static void keep_heaps_small() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 512 * 1024);
  mallopt(M_ARENA_MAX, 2);
#endif
}

int main(int argc, char** argv) {
  keep_heaps_small();
  steno::cli::occupy_standard_streams();
  steno::cli::install_signal_handlers();
  steno::log::level();  // tells of a STENO_LOG that means nothing before any work
  try {
    return steno::cli::run_program(argc, argv);
  } catch (...) {
    const steno::cli::Failure failure = steno::cli::current_failure();
    steno::log::error("{}", failure.message);
    return failure.exit_code;
  }
}
