// Which file each result goes to, decided before any work is done. Pure: looks at names only.
//
// NAME.EXT of an input becomes NAME.srt in the output folder. Inputs that share a NAME keep their
// extension (talk.wav.srt, talk.mp3.srt); inputs that share that as well are numbered in the order
// given (talk.wav.srt, talk.wav-2.srt).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "output/format.h"

namespace steno::cli {

// The input that means standard input. A file of this name is given as "./-".
inline constexpr const char* kStdin = "-";

struct PlannedOutput {
  output::Format format;
  std::filesystem::path path;
};

struct PlannedInput {
  std::vector<PlannedOutput> outputs;  // in the order of the formats
  bool is_numbered = false;            // the name alone no longer tells which input it was
};

// For each input its outputs; no path occurs twice. Throws Error(kUsage) when a name
// would be longer than file systems allow.
std::vector<PlannedInput> plan_outputs(const std::vector<std::string>& inputs,
                                       const std::vector<output::Format>& formats,
                                       const std::filesystem::path& folder);

// Without a folder all results go to standard output: one format, and of several inputs only
// formats that can follow each other in one stream (txt under headings, json as JSON Lines). Throws
// Error(kUsage).
void check_stdout(const std::vector<std::string>& inputs,
                  const std::vector<output::Format>& formats);

}  // namespace steno::cli
