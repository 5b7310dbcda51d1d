#include "ops/make_ops.h"

#include <fstream>

#include "ops/cpu/cpu_ops.h"
#include "ops/cpu/isa.h"

namespace steno::ops {
namespace {

// The first "model name" of /proc/cpuinfo, or what the compiler knows.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

}  // namespace

std::unique_ptr<Ops> make_cpu_ops(int num_threads) {
  return std::make_unique<cpu::CpuOps>(cpu::choose_isa(), num_threads);
}

ComputeType auto_compute_type() {
  return cpu::choose_isa().vnni ? ComputeType::kInt8 : ComputeType::kF32;
}

DType auto_kv_dtype(ComputeType type) {
  return type == ComputeType::kF32 ? DType::kF32 : DType::kI8;
}

CpuReport cpu_report() {
  return {.model = cpu_model(),
          .instructions = cpu::cpu_instructions(),
          .isa = cpu::to_string(cpu::choose_isa())};
}

}  // namespace steno::ops
