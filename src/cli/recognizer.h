// The engine as the command line uses it: one model, any number of inputs at a time.
// Path: cli/transcribe_files -> here -> transcribe/job.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cli/transcribe_arguments.h"
#include "transcribe/job.h"

namespace steno::cli {

class Recognizer {
 public:
  // Finds and loads the model and checks that it can do what is asked. Throws Error.
  explicit Recognizer(const TranscribeArguments& arguments);

  // `input` is a path, or "-" for standard input. Throws Error.
  transcribe::Transcript run(const std::string& input, const transcribe::OnProgress& on_progress);

  // For what is run from then on: a code, or empty to have it told by ear. Throws Error when the
  // model does not know it. Requires that nothing runs.
  void set_language(const std::string& language);

  // By op name; empty unless it was asked for. Requires that nothing runs.
  std::map<std::string, ops::OpTime> op_times() const { return transcriber_->op_times(); }

  // The time spent in each op, the largest first, a line each; empty unless it was asked for.
  std::string profile_report() const;

 private:
  transcribe::Options options_;
  std::unique_ptr<transcribe::Transcriber> transcriber_;
};

}  // namespace steno::cli
