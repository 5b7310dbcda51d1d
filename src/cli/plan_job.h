// What one command will do, decided before a model is loaded: which recordings, which results, what
// of it is there already.
// Path: cli/transcribe_files -> here (find_inputs, output_plan) -> recognizer -> write_results.
#pragma once

#include <vector>

#include "cli/outcome.h"
#include "cli/output_plan.h"
#include "cli/transcribe_arguments.h"

namespace steno::cli {

struct JobPlan {
  std::vector<PlannedInput> inputs;  // to be transcribed, in order
  std::vector<FailedInput> failed;   // what is known to fail already: it cannot be opened, ...
  int num_skipped = 0;               // inputs whose results are all there (--skip-existing)
};

// Makes the output folder. Throws Error(kUsage or kInvalidValue) for what concerns all inputs:
// standard input or output asked for in a way it cannot serve, an output folder that cannot be
// written into, a result that would replace a recording.
JobPlan plan_job(const TranscribeArguments& arguments);

}  // namespace steno::cli
