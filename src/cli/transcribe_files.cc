#include "cli/transcribe_files.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/log.h"
#include "cli/console.h"
#include "cli/outcome.h"
#include "cli/plan_job.h"
#include "cli/progress.h"
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

bool wants_progress(const TranscribeArguments& arguments) {
  if (arguments.progress != ProgressMode::kAuto) return arguments.progress == ProgressMode::kAlways;
  return !arguments.quiet && ::isatty(STDERR_FILENO);
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
    for (std::size_t i = 0; i < plan_.inputs.size(); ++i) {
      const std::optional<Transcript> transcript = attempt(recognizer, i);
      display_.clear();
      if (!transcript) continue;
      audio_s_ += transcript->duration_s;
      if (!arguments_.output_folder) stdout_results_.write(plan_.inputs[i], *transcript);
    }
    if (arguments_.profile) write_stderr(recognizer.profile_report());
  }

  // Nothing when this input failed, which has then been told.
  std::optional<Transcript> attempt(Recognizer& recognizer, std::size_t i) {
    const std::string& input = plan_.inputs[i].input;
    try {
      Transcript transcript = recognize(recognizer, i);
      display_.clear();
      for (const std::string& warning : transcript.warnings) {
        log::warning("{}", message_about(input, warning));
      }
      if (arguments_.strict) transcribe::refuse_degraded(transcript);
      if (arguments_.output_folder) write_files(plan_.inputs[i], arguments_, transcript);
      tally_.add_success();
      return transcript;
    } catch (...) {
      display_.clear();
      tell_failure({input, current_failure()});
      return std::nullopt;
    }
  }

  Transcript recognize(Recognizer& recognizer, std::size_t i) {
    FileProgress progress;
    progress.name = plan_.inputs[i].input;
    progress.index = static_cast<int>(i) + 1;
    progress.num_files = static_cast<int>(plan_.inputs.size());
    display_.show(progress);
    const auto begin = Clock::now();
    return recognizer.run(plan_.inputs[i].input, [&](const transcribe::Progress& now) {
      progress.audio_s_done = now.done_s;
      progress.audio_s_total = now.total_s;
      progress.wall_s = seconds_since(begin);
      display_.show(progress);
    });
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
