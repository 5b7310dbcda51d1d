// What `steno bench ops` found, as plain data, and its forms: a table, JSON, a page.
// Path: bench_ops -> here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/ops_suite.h"
#include "machine/peaks.h"

namespace steno::cli {

struct OpRow {
  std::string name;
  double giga_ops = 0;  // as in OpCase
  double giga_bytes = 0;
  ops::ComputeType peak{};
  double wall_s = 0;  // of a call: the median
  double cpu_s = 0;   // of all threads: the median, and the least
  double least_cpu_s = 0;
};

struct OpsReport {
  std::string cpu;
  std::string backend;
  int num_threads = 0;
  machine::Peaks peaks;
  std::vector<OpRow> rows;
};

// 1e9 operations, or bytes, for a second of CPU time: what a core does. Absent where not counted.
std::optional<double> ops_rate(const OpRow& row);
std::optional<double> bytes_rate(const OpRow& row);

// Those rates over what the machine can do at most; the first absent as well where the CPU has no
// instruction for the type. More than 1 of the bandwidth: caches held what was read.
std::optional<double> peak_share(const OpsReport& report, const OpRow& row);
std::optional<double> bandwidth_share(const OpsReport& report, const OpRow& row);

std::string ops_table(const OpsReport& report);
std::string ops_json(const OpsReport& report);
std::string ops_page(const OpsReport& report);

}  // namespace steno::cli
