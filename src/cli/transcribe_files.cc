#include "cli/transcribe_files.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "cli/outcome.h"
#include "cli/output_plan.h"
#include "cli/progress.h"
#include "cli/recognizer.h"
#include "output/render.h"

namespace steno::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using transcribe::Transcript;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void check_stdin(const std::vector<std::string>& inputs) {
  const auto num_stdin = std::ranges::count(inputs, kStdin);
  if (num_stdin > 1) throw Error(ErrorCode::kUsage, "standard input ('-') can be read only once");
  if (num_stdin == 1 && ::isatty(STDIN_FILENO)) {
    throw Error(
        ErrorCode::kUsage,
        "standard input ('-') is a terminal; pipe audio into it: steno transcribe - < a.wav");
  }
}

void prepare_folder(const fs::path& folder) {
  if (folder.empty()) throw Error(ErrorCode::kUsage, "--output-dir: the name is empty");
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error && !fs::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
  if (!error && ::access(folder.c_str(), W_OK | X_OK) != 0) {
    error = std::error_code(errno, std::generic_category());
  }
  if (error) {
    throw Error(ErrorCode::kInvalidValue, "--output-dir: cannot write into {}: {}",
                utf8::printable(folder.string()), error.message());
  }
}

// A result never replaces one of the recordings.
void check_inputs_survive(const std::vector<std::string>& inputs,
                          const std::vector<PlannedInput>& plan) {
  for (const PlannedInput& planned : plan) {
    for (const PlannedOutput& target : planned.outputs) {
      for (const std::string& input : inputs) {
        std::error_code ignored;
        if (input == kStdin || !fs::equivalent(input, target.path, ignored)) continue;
        throw Error(ErrorCode::kUsage, "{}: would be overwritten by a result; use another -o DIR",
                    utf8::printable(input));
      }
    }
  }
}

void tell_numbered_names(const std::vector<std::string>& inputs,
                         const std::vector<PlannedInput>& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (!plan[i].is_numbered) continue;
    log::warning("{}: another input has this name; the result goes to {}",
                 utf8::printable(inputs[i]),
                 utf8::printable(plan[i].outputs.front().path.string()));
  }
}

std::vector<PlannedInput> admit(const TranscribeArguments& arguments) {
  check_stdin(arguments.inputs);
  if (!arguments.output_folder) {
    check_stdout(arguments.inputs, arguments.formats);
    return {};
  }
  auto plan = plan_outputs(arguments.inputs, arguments.formats, *arguments.output_folder);
  check_inputs_survive(arguments.inputs, plan);
  prepare_folder(*arguments.output_folder);
  tell_numbered_names(arguments.inputs, plan);
  return plan;
}

bool wants_progress(const TranscribeArguments& arguments) {
  if (arguments.progress != ProgressMode::kAuto) return arguments.progress == ProgressMode::kAlways;
  return !arguments.quiet && ::isatty(STDERR_FILENO);
}

class Run {
 public:
  explicit Run(const TranscribeArguments& arguments)
      : arguments_(arguments),
        plan_(admit(arguments)),
        recognizer_(arguments),
        display_(wants_progress(arguments)) {}

  int all() {
    const auto begin = Clock::now();
    for (std::size_t i = 0; i < arguments_.inputs.size(); ++i) {
      const std::optional<Transcript> transcript = attempt(i);
      display_.clear();
      if (!transcript) continue;
      audio_s_ += transcript->duration_s;
      if (!arguments_.output_folder) print(i, *transcript);
    }
    report(seconds_since(begin));
    return tally_.exit_code();
  }

 private:
  // Nothing when this input failed, which has then been told.
  std::optional<Transcript> attempt(std::size_t i) {
    const std::string& input = arguments_.inputs[i];
    try {
      Transcript transcript = recognize(i);
      display_.clear();
      for (const std::string& warning : transcript.warnings) {
        log::warning("{}", message_about(input, warning));
      }
      if (arguments_.output_folder) write_files(plan_[i], transcript);
      tally_.add_success();
      return transcript;
    } catch (...) {
      const Failure failure = current_failure();
      display_.clear();
      log::error("{}", message_about(input, failure.message));
      tally_.add_failure(failure.exit_code);
      return std::nullopt;
    }
  }

  Transcript recognize(std::size_t i) {
    FileProgress progress;
    progress.name = arguments_.inputs[i];
    progress.index = static_cast<int>(i) + 1;
    progress.num_files = static_cast<int>(arguments_.inputs.size());
    display_.show(progress);
    const auto begin = Clock::now();
    return recognizer_.run(arguments_.inputs[i], [&](const transcribe::Progress& now) {
      progress.audio_s_done = now.done_s;
      progress.audio_s_total = now.total_s;
      progress.wall_s = seconds_since(begin);
      display_.show(progress);
    });
  }

  static void write_files(const PlannedInput& planned, const Transcript& transcript) {
    for (const PlannedOutput& target : planned.outputs) {
      const std::string content = output::render(transcript, target.format);
      const Uninterrupted whole;
      file::write_atomically(target.path, content);
    }
  }

  void print(std::size_t i, const Transcript& transcript) {
    const output::Format format = arguments_.formats.front();
    std::string text = output::render(transcript, format);
    if (arguments_.inputs.size() > 1 && format == output::Format::kTxt) {
      text = fmt::format("{}{}:\n{}", has_printed_ ? "\n" : "",
                         utf8::printable(arguments_.inputs[i]), text);
    }
    write_stdout(text);
    has_printed_ = true;
  }

  void report(double wall_s) const {
    if (arguments_.profile) write_stderr(recognizer_.profile_report());
    if (arguments_.quiet) return;
    write_stderr(fmt::format("steno: {}\n", summary_line({tally_.num_files(), tally_.num_failed(),
                                                          audio_s_, wall_s, peak_memory_bytes()})));
  }

  const TranscribeArguments& arguments_;
  std::vector<PlannedInput> plan_;
  Recognizer recognizer_;
  ProgressDisplay display_;
  Tally tally_;
  double audio_s_ = 0;
  bool has_printed_ = false;
};

}  // namespace

int transcribe_files(const TranscribeArguments& arguments) {
  if (arguments.quiet) log::set_level(std::max(log::level(), log::Level::kError));
  return Run(arguments).all();
}

}  // namespace steno::cli
