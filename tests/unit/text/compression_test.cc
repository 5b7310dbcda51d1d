#include "text/compression.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "unit/text/golden_texts.h"

namespace steno::text {
namespace {

TEST(CompressionRatio, EqualsTheReference) {
  const nlohmann::ordered_json goldens = load_golden("compression_ratio.json");
  for (const auto& golden : goldens["cases"]) {
    const auto text = golden["text"].get<std::string>();
    EXPECT_EQ(compression_ratio(text), golden["ratio"].get<double>()) << text;
  }
}

TEST(CompressionRatio, OfNothingIsZero) {
  EXPECT_EQ(compression_ratio(""), 0.0);
}

TEST(CompressionRatio, LongTextsAndAnyBytes) {
  EXPECT_GT(compression_ratio(std::string(1 << 20, 'x')), 900.0);
  EXPECT_EQ(compression_ratio(std::string("\0\xFF", 2)), 2.0 / 10);
}

}  // namespace
}  // namespace steno::text
