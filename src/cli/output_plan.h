// Which file each result goes to, decided before any work is done. Pure: looks at names only.
//
// NAME.EXT of an input becomes NAME.srt in its subfolder of the output folder. Inputs that share a
// NAME there keep their extension (talk.wav.srt, talk.mp3.srt); those that share that as well are
// numbered, sorted by their paths (talk.wav.srt, talk.wav-2.srt). So names depend on what is given,
// never on the order, and those of a folder's files only on what is in it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/find_inputs.h"
#include "output/format.h"

namespace steno::cli {

struct PlannedOutput {
  output::Format format;
  std::filesystem::path path;
};

struct PlannedInput {
  std::string input;                   // a path, or kStdin
  std::vector<PlannedOutput> outputs;  // in the order of the formats; none: to standard output
  bool is_numbered = false;            // the name alone no longer tells which input it was
  std::string refusal;                 // why there can be no such output; empty: there can
};

// For each input its outputs, in the same order; no path occurs twice. Refuses names longer than
// file systems allow.
std::vector<PlannedInput> plan_outputs(const std::vector<Input>& inputs,
                                       const std::vector<output::Format>& formats,
                                       const std::filesystem::path& folder);

// Without a folder all results go to standard output: one format, and of several inputs only
// formats that can follow each other in one stream (txt under headings, json as JSON Lines). Throws
// Error(kUsage).
void check_stdout(std::size_t num_inputs, const std::vector<output::Format>& formats);

}  // namespace steno::cli
