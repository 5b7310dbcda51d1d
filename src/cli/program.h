// The command line as a whole: parsing, help, and the way into a subcommand.
#pragma once

namespace steno::cli {

// Returns the exit code. Throws Error.
int run_program(int argc, char** argv);

}  // namespace steno::cli
