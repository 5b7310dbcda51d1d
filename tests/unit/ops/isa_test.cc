#include "ops/cpu/isa.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "ops/make_ops.h"

namespace steno::ops {
namespace {

TEST(IsaTest, WithoutAChoiceTheWidestIsTaken) {
  const std::vector<cpu::IsaChoice> isas = cpu::available_isas();
  ASSERT_FALSE(isas.empty());
  EXPECT_EQ(isas.front().isa, cpu::Isa::kV2);
  EXPECT_EQ(cpu::to_string(cpu::choose_isa(std::nullopt)), cpu::to_string(isas.back()));
}

TEST(IsaTest, AChoiceIsTakenWithItsOptionalInstructions) {
  for (const cpu::IsaChoice& choice : cpu::available_isas()) {
    const cpu::IsaChoice chosen = cpu::choose_isa(cpu::name(choice.isa));
    EXPECT_EQ(chosen.isa, choice.isa);
    EXPECT_GE(chosen.vnni, choice.vnni);
    EXPECT_GE(chosen.bf16, choice.bf16);
  }
}

TEST(IsaTest, GenericIsWhatEveryCpuHas) {
  EXPECT_EQ(cpu::choose_isa("generic").isa, cpu::Isa::kV2);
}

TEST(IsaTest, AnUnknownOrAbsentOneIsAUsageError) {
  const std::vector<std::string> cpu = cpu::cpu_instructions();
  for (const std::string_view name : {"avx1024", "AVX2", "", "avx512"}) {
    const bool present = std::find(cpu.begin(), cpu.end(), "avx512bw") != cpu.end();
    if (name == "avx512" && present) continue;
    try {
      cpu::choose_isa(name);
      ADD_FAILURE() << name << " was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kUsage);
      EXPECT_NE(std::string(error.what()).find("STENO_ISA="), std::string::npos);
    }
  }
}

TEST(IsaTest, DescribesItself) {
  EXPECT_EQ(cpu::to_string({.isa = cpu::Isa::kAvx2}), "avx2");
  EXPECT_EQ(cpu::to_string({.isa = cpu::Isa::kAvx512, .vnni = true, .bf16 = true}),
            "avx512 (vnni, bf16)");
  EXPECT_EQ(make_cpu_ops(2)->description(), "cpu " + cpu_report().isa + ", 2 threads");
  EXPECT_FALSE(cpu_report().model.empty());
}

TEST(ComputeTypeTest, NamesAreReadBack) {
  for (const ComputeType type : {ComputeType::kF32, ComputeType::kBF16, ComputeType::kInt8}) {
    EXPECT_EQ(find_compute_type(name(type)), type);
  }
  EXPECT_EQ(find_compute_type("float32"), std::nullopt);
}

TEST(ComputeTypeTest, Int8IsAutomaticWhereItIsFast) {
  const bool vnni = cpu::choose_isa().vnni;
  EXPECT_EQ(auto_compute_type(), vnni ? ComputeType::kInt8 : ComputeType::kF32);
}

TEST(AutoKvDtype, TheReferenceRoundsNothing) {
  EXPECT_EQ(auto_kv_dtype(ComputeType::kF32), DType::kF32);
  EXPECT_EQ(auto_kv_dtype(ComputeType::kBF16), DType::kI8);
  EXPECT_EQ(auto_kv_dtype(ComputeType::kInt8), DType::kI8);
}

}  // namespace
}  // namespace steno::ops
