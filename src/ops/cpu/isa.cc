#include "ops/cpu/isa.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"

namespace steno::ops::cpu {
namespace {

struct Instruction {
  const char* name;  // as in /proc/cpuinfo
  bool present;
};

// __builtin_cpu_supports asks the operating system too: registers it does not save count as absent.
std::vector<Instruction> look_up() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  return {{"sse4_2", __builtin_cpu_supports("sse4.2") != 0},
          {"avx2", __builtin_cpu_supports("avx2") != 0},
          {"fma", __builtin_cpu_supports("fma") != 0},
          {"f16c", __builtin_cpu_supports("f16c") != 0},
          {"avx512f", __builtin_cpu_supports("avx512f") != 0},
          {"avx512bw", __builtin_cpu_supports("avx512bw") != 0},
          {"avx512vl", __builtin_cpu_supports("avx512vl") != 0},
          {"avx512dq", __builtin_cpu_supports("avx512dq") != 0},
          {"avx512_vnni", __builtin_cpu_supports("avx512vnni") != 0},
          {"avx512_bf16", __builtin_cpu_supports("avx512bf16") != 0}};
#else
  return {};
#endif
}

bool has_all(const std::vector<Instruction>& cpu, std::initializer_list<std::string_view> wanted) {
  for (const std::string_view name : wanted) {
    bool found = false;
    for (const Instruction& i : cpu) found |= i.name == name && i.present;
    if (!found) return false;
  }
  return true;
}

}  // namespace

std::string_view name(Isa isa) {
  switch (isa) {
    case Isa::kV2:
      return "v2";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
  }
  return "?";
}

std::string to_string(const IsaChoice& choice) {
  std::string text(name(choice.isa));
  if (choice.vnni && choice.bf16) return text + " (vnni, bf16)";
  if (choice.vnni) return text + " (vnni)";
  if (choice.bf16) return text + " (bf16)";
  return text;
}

std::vector<IsaChoice> available_isas() {
  const std::vector<Instruction> cpu = look_up();
  std::vector<IsaChoice> isas = {{.isa = Isa::kV2}};
  if (has_all(cpu, {"avx2", "fma", "f16c"})) isas.push_back({.isa = Isa::kAvx2});
  if (has_all(cpu, {"avx512f", "avx512bw", "avx512vl", "avx512dq"})) {
    isas.push_back({.isa = Isa::kAvx512});
    const bool vnni = has_all(cpu, {"avx512_vnni"});
    const bool bf16 = has_all(cpu, {"avx512_bf16"});
    if (vnni) isas.push_back({.isa = Isa::kAvx512, .vnni = true});
    if (bf16) isas.push_back({.isa = Isa::kAvx512, .vnni = vnni, .bf16 = true});
  }
  return isas;
}

IsaChoice choose_isa(std::optional<std::string_view> forced) {
  const std::vector<IsaChoice> isas = available_isas();
  if (!forced) return isas.back();
  if (*forced == "generic") forced = name(Isa::kV2);
  for (auto choice = isas.rbegin(); choice != isas.rend(); ++choice) {
    if (name(choice->isa) == *forced) return *choice;
  }
  for (const Isa known : {Isa::kV2, Isa::kAvx2, Isa::kAvx512}) {
    if (name(known) == *forced) {
      throw Error(ErrorCode::kUsage,
                  "STENO_ISA={}: this CPU does not have it; the widest it has is {}", *forced,
                  name(isas.back().isa));
    }
  }
  throw Error(ErrorCode::kUsage, "STENO_ISA={}: expected generic, v2, avx2 or avx512", *forced);
}

IsaChoice choose_isa() {
  const char* forced = std::getenv("STENO_ISA");
  if (forced == nullptr || *forced == '\0') return choose_isa(std::nullopt);
  return choose_isa(std::string_view(forced));
}

Kernels make_kernels([[maybe_unused]] const IsaChoice& choice) {
#if defined(__x86_64__)
  if (choice.isa == Isa::kAvx512) return avx512::make_kernels(choice.vnni, choice.bf16);
  if (choice.isa == Isa::kAvx2) return avx2::make_kernels(false, false);
#endif
  return v2::make_kernels(false, false);
}

std::vector<std::string> cpu_instructions() {
  std::vector<std::string> names;
  for (const Instruction& i : look_up()) {
    if (i.present) names.emplace_back(i.name);
  }
  return names;
}

}  // namespace steno::ops::cpu
