// Times the ops and tells how near they come to what the machine can do.
// Path: cli/bench_command -> here (ops_suite, machine/peaks) -> ops_report.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace steno::cli {

struct BenchOpsArguments {
  int num_threads = 1;
  std::string filter;            // part of an op's name; empty: all
  double seconds_per_row = 0.4;  // at least five samples of calls
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> html;
};

// Prints the table and writes the files asked for. Throws Error(kUsage) when no op fits the filter.
int bench_ops(const BenchOpsArguments& arguments);

}  // namespace steno::cli
