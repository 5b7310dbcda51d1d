// The program `steno`.   Path: here -> program -> *_command -> the doors' rooms.
#include "base/log.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/outcome.h"
#include "cli/program.h"

int main(int argc, char** argv) {
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
