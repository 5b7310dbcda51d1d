// What `steno transcribe` was asked to do, checked: the command line as plain data.
//
// The options are named as in openai-whisper's command line (v20250625, whisper/transcribe.py,
// cli), with dashes for underscores. What is wrong with a value for any model is found here, before
// one is loaded.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "ops/compute_type.h"
#include "output/cue_limits.h"
#include "output/format.h"
#include "tensor/dtype.h"
#include "transcribe/options.h"

namespace CLI {
class App;
}

namespace steno::cli {

enum class ProgressMode { kAuto, kAlways, kNever };

struct TranscribeArguments {
  std::vector<std::string> inputs;
  std::string model = "whisper-base";
  std::vector<output::Format> formats;                 // not empty after parsing
  std::optional<std::filesystem::path> output_folder;  // without it: standard output
  std::optional<ops::ComputeType> compute_type;        // without it: the fastest that is as good
  std::optional<DType> kv_dtype;                       // kF32, kBF16 or kI8; without it: likewise
  int num_threads = 0;                                 // 0: all usable cores
  std::optional<output::CueLimits> cue_limits;         // without it: the output room decides
  bool skip_existing = false;                          // only with an output folder
  bool strict = false;
  bool quiet = false;
  ProgressMode progress = ProgressMode::kAuto;
  bool profile = false;
  transcribe::Options options;
};

// Adds every option to `command`. Parsing fills `arguments`, which must outlive `command`, and
// throws Error(kUsage or kInvalidValue) on a value that is not allowed, saying what is.
void add_transcribe_options(CLI::App& command, TranscribeArguments& arguments);

// The same but for what names inputs and results.
void add_bench_options(CLI::App& command, TranscribeArguments& arguments);

}  // namespace steno::cli
