// A benchmark as one HTML page that needs nothing else: the table, speed against error rate, and
// the time by stage as pictures (SVG).
// Path: cli/bench_asr -> bench_report -> here.
#pragma once

#include <string>

#include "cli/bench_report.h"

namespace steno::cli {

std::string bench_page(const BenchReport& report);

}  // namespace steno::cli
