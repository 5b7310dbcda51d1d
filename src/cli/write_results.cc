#include "cli/write_results.h"

#include <fmt/core.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "cli/console.h"
#include "cli/interrupts.h"
#include "output/render.h"

namespace steno::cli {
namespace {

namespace fs = std::filesystem;

void make_folder_of(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (!error) return;
  throw Error(ErrorCode::kInvalidValue, "{}: cannot make the folder for the results: {}",
              utf8::printable(path.parent_path().string()), error.message());
}

}  // namespace

void write_files(const PlannedInput& planned, const TranscribeArguments& arguments,
                 const transcribe::Transcript& transcript) {
  for (const PlannedOutput& target : planned.outputs) {
    const std::string content = output::render(transcript, target.format, arguments.cue_limits);
    const Uninterrupted whole;
    if (target.path.has_parent_path()) make_folder_of(target.path);
    file::write_atomically(target.path, content);
  }
}

void StdoutResults::write(const PlannedInput& planned, const transcribe::Transcript& transcript) {
  const output::Format format = arguments_.formats.front();
  std::string text = output::render(transcript, format, arguments_.cue_limits);
  if (has_headings_ && format == output::Format::kTxt) {
    text = fmt::format("{}{}:\n{}", has_written_ ? "\n" : "", utf8::printable(planned.input), text);
  }
  write_stdout(text);
  has_written_ = true;
}

}  // namespace steno::cli
