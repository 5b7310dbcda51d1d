// The subcommands: each adds itself to the program and hands over what to do when it was chosen.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace steno::cli {

// Does the work and returns the exit code; empty until parsing has chosen a subcommand.
using Action = std::function<int()>;

void add_transcribe_command(CLI::App& program, Action& action);
void add_models_command(CLI::App& program, Action& action);
void add_pull_command(CLI::App& models, Action& action);  // `steno models pull`
void add_bench_command(CLI::App& program, Action& action);
void add_doctor_command(CLI::App& program, Action& action);

}  // namespace steno::cli
