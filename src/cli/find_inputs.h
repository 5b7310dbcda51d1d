// What was given on the command line becomes a list of recordings: folders are searched.
// Path: cli/plan_job -> here.   Looks at names and folders only; opens no recording.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/outcome.h"

namespace steno::cli {

// The input that means standard input. A file of this name is given as "./-".
inline constexpr const char* kStdin = "-";

struct Input {
  std::string path;                 // or kStdin
  std::filesystem::path subfolder;  // of the output folder, where its results belong
};

struct FoundInputs {
  std::vector<Input> inputs;
  std::vector<FailedInput> failed;  // an empty name, folders that cannot be read or have nothing
};

// Inputs in the order given, those of a folder sorted by their paths. A file of a folder comes
// once, even when it, or a folder inside of the folder, is named as well. The tree of a single
// folder is repeated below the output folder, that of several below each one's name.
//
// In a folder, what is no file, has a name that begins with a dot or no ending of audio or video is
// left out. Links to files are taken; links to folders are not followed, a warning names them.
FoundInputs find_inputs(const std::vector<std::string>& arguments);

}  // namespace steno::cli
