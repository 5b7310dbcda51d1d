#include "machine/peaks.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace steno::machine {
namespace {

std::string cpu_flags() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("flags")) return line + ' ';
  }
  return "";
}

bool has(const std::string& flag) {
  return cpu_flags().find(' ' + flag + ' ') != std::string::npos;
}

// No core of today does more than 64 multiply-adds in f32 a cycle at 6 GHz, nor reads 500 GB/s;
// what is slower than a tenth of a GHz was not measured.
TEST(MeasurePeaks, FiguresAreThoseOfACore) {
  const Peaks peaks = measure_peaks(1);
  EXPECT_GT(peaks.f32_gops, 0.1);
  EXPECT_LT(peaks.f32_gops, 768);
  EXPECT_GT(peaks.read_gbytes, 0.01);
  EXPECT_LT(peaks.read_gbytes, 500);
}

TEST(MeasurePeaks, TypesAreThereWhereTheCpuHasInstructions) {
  if (cpu_flags().empty()) GTEST_SKIP() << "no flags in /proc/cpuinfo";
  const Peaks peaks = measure_peaks(2);
  EXPECT_EQ(peaks.int8_gops.has_value(), has("avx2") && has("fma"));
  EXPECT_EQ(peaks.bf16_gops.has_value(), has("avx512_bf16"));
  // Four products a lane against one: instructions that cannot be slower than f32's by so much.
  if (has("avx512_vnni")) {
    EXPECT_GT(*peaks.int8_gops, 1.5 * peaks.f32_gops);
  }
}

}  // namespace
}  // namespace steno::machine
