#include "scoring/decimal.h"

#include <gtest/gtest.h>

#include <string>

namespace steno::scoring {
namespace {

TEST(Decimal, SumsOfAnySize) {
  EXPECT_EQ(sum("0", "0"), "0");
  EXPECT_EQ(sum("999", "1"), "1000");
  EXPECT_EQ(sum("7", "99999999999999999999999999999999"), "100000000000000000000000000000006");
}

TEST(Decimal, ScalesTheLastThreeDigits) {
  EXPECT_EQ(scale_last_three("5", 2), "500");
  EXPECT_EQ(scale_last_three("1500", 2), "51000");
  EXPECT_EQ(scale_last_three("1000000", 6), "1000000");
  EXPECT_EQ(scale_last_three("0", 33), "0");
}

TEST(Decimal, ScalesFractionsThatBecomeWhole) {
  EXPECT_EQ(scale_exactly("1.5", 6), "1500000");
  EXPECT_EQ(scale_exactly("3.10", 1), "31");
  EXPECT_EQ(scale_exactly("007", 0), "7");
  EXPECT_EQ(scale_exactly("1.", 2), "100");
  EXPECT_EQ(scale_exactly(".5", 1), "5");
  EXPECT_EQ(scale_exactly("1.2345", 3), std::nullopt);
  for (const std::string text : {"", ".", "1.2.3", "3.$5", "x"}) {
    EXPECT_EQ(scale_exactly(text, 2), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace steno::scoring
