// The ops at the sizes of Whisper base, one at a time and as a whole encoder and decoder step, with
// the arithmetic and the memory that each cannot do without.
// Path: here -> bench_ops.
#pragma once

#include <functional>
#include <string>

#include "ops/ops.h"

namespace steno::cli {

struct OpCase {
  std::string name;         // "linear int8 1500x512x2048"
  double giga_ops = 0;      // 1e9 operations of a call, two for each multiply-add; 0: not counted
  double giga_bytes = 0;    // 1e9 bytes that a call reads and writes at least; 0: not counted
  ops::ComputeType peak{};  // what its arithmetic is compared with
  std::function<void()> call;
};

// Calls `visit` for each case whose name holds `filter`. A case's tensors live until `visit`
// returns.
void visit_ops(ops::Ops& ops, const std::string& filter,
               const std::function<void(const OpCase&)>& visit);

}  // namespace steno::cli
