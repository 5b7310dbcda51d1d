#include "text/compression.h"

#include <gtest/gtest.h>

#include <string>

namespace steno::text {
namespace {

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

// Expected: len(data) / len(zlib.compress(data)), Python 3.11 with zlib 1.2.13.
TEST(CompressionRatio, EqualsZlibs) {
  EXPECT_EQ(compression_ratio(""), 0.0);
  EXPECT_EQ(compression_ratio("a"), 1.0 / 9);
  EXPECT_EQ(compression_ratio("Hello world"), 11.0 / 19);
  EXPECT_EQ(compression_ratio(repeat("thank you. ", 40)), 440.0 / 24);
  EXPECT_EQ(compression_ratio(repeat("日本語のテキスト", 10)), 240.0 / 38);

  std::string squares = "0";
  for (int i = 1; i < 200; ++i) squares += ' ' + std::to_string(i * i);
  EXPECT_EQ(compression_ratio(squares), 1053.0 / 499);
}

TEST(CompressionRatio, LongTextsAndAnyBytes) {
  EXPECT_GT(compression_ratio(std::string(1 << 20, 'x')), 900.0);
  EXPECT_EQ(compression_ratio(std::string("\0\xFF", 2)), 2.0 / 10);
}

}  // namespace
}  // namespace steno::text
