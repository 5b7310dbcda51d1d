// Transcripts leave the program: into files that appear whole or not at all, or on standard output.
// Path: recognizer -> here -> output/render.
#pragma once

#include "cli/output_plan.h"
#include "cli/transcribe_arguments.h"
#include "transcribe/transcript.h"

namespace steno::cli {

// Writes every planned output, making the folders it lies in. Throws Error.
void write_files(const PlannedInput& planned, const TranscribeArguments& arguments,
                 const transcribe::Transcript& transcript);

// Results on standard output, in order.
class StdoutResults {
 public:
  // `has_headings`: texts stand under the names of their inputs.
  StdoutResults(const TranscribeArguments& arguments, bool has_headings)
      : arguments_(arguments), has_headings_(has_headings) {}

  // Throws Error(kUnavailable).
  void write(const PlannedInput& planned, const transcribe::Transcript& transcript);

 private:
  const TranscribeArguments& arguments_;
  bool has_headings_;
  bool has_written_ = false;
};

}  // namespace steno::cli
