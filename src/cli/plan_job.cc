#include "cli/plan_job.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "audio/source.h"
#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"

namespace steno::cli {
namespace {

namespace fs = std::filesystem;

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

using FileId = std::pair<dev_t, ino_t>;

std::optional<FileId> try_file_id(const fs::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

// A result never replaces one of the recordings.
void check_inputs_survive(const std::vector<PlannedInput>& plan) {
  std::map<FileId, std::string> recordings;
  for (const PlannedInput& planned : plan) {
    if (planned.input == kStdin) continue;
    if (const auto id = try_file_id(planned.input)) recordings.emplace(*id, planned.input);
  }
  for (const PlannedInput& planned : plan) {
    for (const PlannedOutput& target : planned.outputs) {
      const auto id = try_file_id(target.path);
      const auto recording = id ? recordings.find(*id) : recordings.end();
      if (recording == recordings.end()) continue;
      throw Error(ErrorCode::kUsage, "{}: would be overwritten by a result; use another -o DIR",
                  utf8::printable(recording->second));
    }
  }
}

void tell_numbered_name(const PlannedInput& planned) {
  if (!planned.is_numbered) return;
  log::warning("{}: another input has this name; the result goes to {}",
               utf8::printable(planned.input),
               utf8::printable(planned.outputs.front().path.string()));
}

// Results appear whole or not at all, so one that is there is complete.
bool has_all_results(const PlannedInput& planned) {
  return std::ranges::all_of(planned.outputs, [](const PlannedOutput& target) {
    std::error_code ignored;
    return fs::is_regular_file(target.path, ignored);
  });
}

void sort_out(std::vector<PlannedInput> plan, bool skips_existing, JobPlan& job) {
  for (PlannedInput& planned : plan) {
    if (!planned.refusal.empty()) {
      job.failed.push_back({planned.input, {kExitUsage, planned.refusal}});
    } else if (skips_existing && has_all_results(planned)) {
      ++job.num_skipped;
    } else {
      tell_numbered_name(planned);
      job.inputs.push_back(std::move(planned));
    }
  }
}

// What cannot even be opened is told before a model is loaded. A named pipe would wait for its
// writer.
void set_aside_unreadable(JobPlan& job) {
  std::erase_if(job.inputs, [&job](const PlannedInput& planned) {
    std::error_code ignored;
    if (planned.input == kStdin || fs::is_fifo(planned.input, ignored)) return false;
    try {
      audio::Source::file(planned.input).open();
      return false;
    } catch (const Error&) {
      job.failed.push_back({planned.input, current_failure()});
      return true;
    }
  });
}

JobPlan plan_with_folder(const TranscribeArguments& arguments, FoundInputs found) {
  JobPlan job;
  job.failed = std::move(found.failed);
  auto plan = plan_outputs(found.inputs, arguments.formats, *arguments.output_folder);
  check_inputs_survive(plan);
  prepare_folder(*arguments.output_folder);
  sort_out(std::move(plan), arguments.skip_existing, job);
  return job;
}

JobPlan plan_for_stdout(const TranscribeArguments& arguments, FoundInputs found) {
  check_stdout(found.inputs.size(), arguments.formats);
  JobPlan job;
  job.failed = std::move(found.failed);
  for (Input& input : found.inputs) job.inputs.emplace_back().input = std::move(input.path);
  return job;
}

}  // namespace

JobPlan plan_job(const TranscribeArguments& arguments) {
  check_stdin(arguments.inputs);
  FoundInputs found = find_inputs(arguments.inputs);
  JobPlan job = arguments.output_folder ? plan_with_folder(arguments, std::move(found))
                                        : plan_for_stdout(arguments, std::move(found));
  set_aside_unreadable(job);
  return job;
}

}  // namespace steno::cli
