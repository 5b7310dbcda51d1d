// Which kernels this CPU can run and which of them to use.
//
// Instruction sets: v2 (x86-64-v2, and the plain build elsewhere), avx2 (with fma and f16c), avx512
// (f bw vl dq). STENO_ISA=v2|avx2|avx512 forces one. VNNI and BF16 are looked up apart: avx512 uses
// them where they are. Threads: any.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ops/cpu/kernels.h"

namespace steno::ops::cpu {

enum class Isa { kV2, kAvx2, kAvx512 };

struct IsaChoice {
  Isa isa = Isa::kV2;
  bool vnni = false;  // avx512_vnni: four int8 products a lane in one instruction
  bool bf16 = false;  // avx512_bf16
};

std::string_view name(Isa isa);
std::string to_string(const IsaChoice& choice);  // "avx512 (vnni)"

// All that this CPU can run, the plain one first, with and without the optional instructions: for
// the tests.
std::vector<IsaChoice> available_isas();

// The last of available_isas(), or the best of what `forced` (the value of STENO_ISA) names. Throws
// Error(kUsage) when this CPU lacks it or the name is not known.
IsaChoice choose_isa(std::optional<std::string_view> forced);
IsaChoice choose_isa();  // by STENO_ISA

Kernels make_kernels(const IsaChoice& choice);

// The instruction sets of this CPU that matter here, by the names of /proc/cpuinfo.
std::vector<std::string> cpu_instructions();

}  // namespace steno::ops::cpu
