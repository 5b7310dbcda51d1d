#include "cli/bench_ops.h"

#include <time.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "cli/console.h"
#include "cli/ops_report.h"
#include "cli/ops_suite.h"
#include "cli/outcome.h"
#include "cli/parse_value.h"
#include "ops/make_ops.h"

namespace steno::cli {
namespace {

constexpr std::size_t kLeastSamples = 5;

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double>& values) {
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Sample {
  double wall_s = 0;
  double cpu_s = 0;
};

// Of one call, on average.
Sample time_calls(const OpCase& op, int num_calls) {
  const double wall_begin_s = seconds_of(CLOCK_MONOTONIC);
  const double cpu_begin_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
  for (int i = 0; i < num_calls; ++i) op.call();
  return {(seconds_of(CLOCK_MONOTONIC) - wall_begin_s) / num_calls,
          (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin_s) / num_calls};
}

OpRow measure(const OpCase& op, double seconds) {
  // TRAP: the clock learns of other threads' time at their next tick only, so a short call seems to
  // cost half of what two threads spend on it.
  constexpr double kSampleSeconds = 0.02;
  op.call();  // the first touch of its memory
  const double call_s = std::max(time_calls(op, 1).wall_s, 1e-7);
  const int num_calls = std::max(1, static_cast<int>(kSampleSeconds / call_s));
  std::vector<double> wall_s;
  std::vector<double> cpu_s;
  const double end_s = seconds_of(CLOCK_MONOTONIC) + seconds;
  while (wall_s.size() < kLeastSamples || seconds_of(CLOCK_MONOTONIC) < end_s) {
    const Sample sample = time_calls(op, num_calls);
    wall_s.push_back(sample.wall_s);
    cpu_s.push_back(sample.cpu_s);
  }
  return {op.name,
          op.giga_ops,
          op.giga_bytes,
          op.peak,
          median(wall_s),
          median(cpu_s),
          *std::ranges::min_element(cpu_s)};
}

}  // namespace

int bench_ops(const BenchOpsArguments& arguments) {
  const std::unique_ptr<ops::Ops> ops = ops::make_cpu_ops(arguments.num_threads);
  OpsReport report{ops::cpu_report().model,
                   ops->description(),
                   arguments.num_threads,
                   machine::measure_peaks(arguments.num_threads),
                   {}};
  visit_ops(*ops, arguments.filter, [&](const OpCase& op) {
    report.rows.push_back(measure(op, arguments.seconds_per_row));
  });
  if (report.rows.empty()) {
    throw Error(ErrorCode::kUsage,
                "--filter: no op's name holds {}; without it all are shown, as 'linear int8'",
                in_quotes(arguments.filter));
  }
  write_stdout(ops_table(report));
  if (arguments.json) file::write_atomically(*arguments.json, ops_json(report));
  if (arguments.html) file::write_atomically(*arguments.html, ops_page(report));
  return kExitDone;
}

}  // namespace steno::cli
