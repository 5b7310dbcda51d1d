#include "cli/transcribe_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/log.h"
#include "cli/console.h"
#include "cli/outcome.h"
#include "cli/plan_job.h"
#include "cli/progress.h"
#include "cli/recognitions.h"
#include "cli/recognizer.h"
#include "cli/write_results.h"
#include "transcribe/degradation.h"

namespace steno::cli {
namespace {

using Clock = std::chrono::steady_clock;
using transcribe::Transcript;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

class Run {
 public:
  Run(const TranscribeArguments& arguments, const JobPlan& plan)
      : arguments_(arguments),
        plan_(plan),
        stdout_results_(arguments, plan.inputs.size() + plan.failed.size() > 1),
        display_(wants_progress(arguments)) {}

  int all() {
    const auto begin = Clock::now();
    for (int i = 0; i < plan_.num_skipped; ++i) tally_.add_skipped();
    for (const FailedInput& failed : plan_.failed) tell_failure(failed);
    if (!plan_.inputs.empty()) recognize_all();
    report(seconds_since(begin));
    return tally_.exit_code();
  }

 private:
  void recognize_all() {
    Recognizer recognizer(arguments_);
    std::vector<std::string> inputs;
    for (const PlannedInput& planned : plan_.inputs) inputs.push_back(planned.input);
    // Files are written as they end, so that little is lost if the program is stopped.
    Recognitions recognitions(recognizer, std::move(inputs), num_at_once(arguments_),
                              !arguments_.output_folder);
    while (!recognitions.is_done()) {
      if (const auto status = recognitions.status()) display_.show(*status);
      if (auto recognition = recognitions.take_next(kRedrawInterval)) finish(*recognition);
    }
    if (arguments_.profile) write_stderr(recognizer.profile_report());
  }

  // Writes what came of an input, or tells that it failed.
  void finish(Recognition& recognition) {
    display_.clear();
    const PlannedInput& planned = plan_.inputs[recognition.index];
    if (const auto* failure = std::get_if<Failure>(&recognition.outcome)) {
      tell_failure({planned.input, *failure});
      return;
    }
    const Transcript& transcript = std::get<Transcript>(recognition.outcome);
    for (const std::string& warning : transcript.warnings) {
      log::warning("{}", message_about(planned.input, warning));
    }
    try {
      if (arguments_.strict) transcribe::refuse_degraded(transcript);
      if (arguments_.output_folder) write_files(planned, arguments_, transcript);
    } catch (...) {
      tell_failure({planned.input, current_failure()});
      return;
    }
    tally_.add_success();
    audio_s_ += transcript.duration_s;
    if (!arguments_.output_folder) stdout_results_.write(planned, transcript);
  }

  void tell_failure(FailedInput failed) {
    failed.failure.message = message_about(failed.input, failed.failure.message);
    log::error("{}", failed.failure.message);
    tally_.add_failure(std::move(failed));
  }

  void report(double wall_s) const {
    if (arguments_.quiet) return;
    write_stderr(fmt::format("steno: {}\n", summary_line({tally_.num_done(), tally_.num_skipped(),
                                                          static_cast<int>(tally_.failed().size()),
                                                          audio_s_, wall_s, peak_memory_bytes()})));
    if (plan_.inputs.size() + plan_.failed.size() > 1) write_stderr(failure_list(tally_.failed()));
  }

  const TranscribeArguments& arguments_;
  const JobPlan& plan_;
  StdoutResults stdout_results_;
  ProgressDisplay display_;
  Tally tally_;
  double audio_s_ = 0;
};

}  // namespace

int transcribe_files(const TranscribeArguments& arguments) {
  if (arguments.quiet) log::set_level(std::max(log::level(), log::Level::kError));
  const JobPlan plan = plan_job(arguments);
  return Run(arguments, plan).all();
}

}  // namespace steno::cli
