// The one place that knows the backends.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ops/ops.h"

namespace steno::ops {

// The CPU backend on `num_threads` threads (>= 1). Throws Error(kUsage) when STENO_ISA names an
// instruction set that this CPU lacks or that does not exist.
std::unique_ptr<Ops> make_cpu_ops(int num_threads);

// The fastest type that this CPU has instructions for and whose word error rate is that of f32
// (docs/performance.md has the measurement).
ComputeType auto_compute_type();

// Likewise for the keys and values of encoded windows, which a decoder reads at every step.
DType auto_kv_dtype(ComputeType type);

// What the CPU offers and what will be used, a line each: for `steno doctor`.
struct CpuReport {
  std::string model;                      // "Intel(R) Xeon(R) ..."
  std::vector<std::string> instructions;  // those that matter here: "avx2", "avx512_vnni", ...
  std::string isa;                        // the kernels chosen: "avx512"
};
CpuReport cpu_report();

}  // namespace steno::ops
