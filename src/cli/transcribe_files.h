// All inputs of one command, one after the other: what fails is reported and the rest goes on.
// Path: cli/transcribe_command -> here -> recognizer, output/render.
#pragma once

#include "cli/transcribe_arguments.h"

namespace steno::cli {

// Returns the exit code. Throws Error for what concerns all inputs: the model, the output folder,
// standard output.
int transcribe_files(const TranscribeArguments& arguments);

}  // namespace steno::cli
