// Reads the recordings of a manifest, a set after the other, and counts errors and time.
// Path: cli/bench_command -> bench_manifest -> here (recognitions) -> bench_report, bench_page.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/transcribe_arguments.h"

namespace steno::cli {

struct BenchAsrArguments {
  std::filesystem::path manifest;
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> html;
  std::optional<double> price_per_hour;
  std::vector<std::string> folded_languages;  // whose accents do not count
  bool detects_language = false;              // else the manifest's is given
  TranscribeArguments transcribe;
};

// Prints the table and writes the files asked for. Returns the exit code: that of a job with the
// same files. Throws Error for what concerns all of them.
int bench_asr(const BenchAsrArguments& arguments);

}  // namespace steno::cli
