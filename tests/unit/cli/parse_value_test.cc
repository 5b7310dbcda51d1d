#include "cli/parse_value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "base/error.h"

namespace steno::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ParseNumber, TakesPlainAndScientificNumbers) {
  EXPECT_EQ(parse_number("--x", "2.4"), 2.4);
  EXPECT_EQ(parse_number("--x", "-1"), -1.0);
  EXPECT_EQ(parse_number("--x", "1e-3"), 1e-3);
}

TEST(ParseNumber, RefusesWhatIsNoFiniteNumber) {
  for (const char* text : {"", "abc", "1x", " 1", "1,5", "nan", "inf", "-inf", "1e999", "0x10"}) {
    EXPECT_THROW(parse_number("--x", text), Error) << text;
  }
}

TEST(ParseNumber, TheMessageNamesOptionAndText) {
  try {
    parse_number("--patience", "often");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUsage);
    EXPECT_STREQ(error.what(), "--patience: 'often' is not a number");
  }
}

TEST(ParseBytes, TakesWholeNumbersOfAUnit) {
  EXPECT_EQ(parse_bytes("--x", "1"), 1);
  EXPECT_EQ(parse_bytes("--x", "3KiB"), 3 << 10);
  EXPECT_EQ(parse_bytes("--x", "512 MiB"), 512 << 20);
  EXPECT_EQ(parse_bytes("--x", "64GiB"), std::int64_t{64} << 30);
  EXPECT_EQ(parse_bytes("--x", "2TiB"), std::int64_t{2} << 40);
  EXPECT_EQ(parse_bytes("--x", "9223372036854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const char* text : {"", "0", "-1", "1.5GiB", "GiB", "1GB", "1 KiB x", "9000000TiB",
                           "9223372036854775808", "nan", "1KiBMiB", "1MiBKiB"}) {
    EXPECT_THROW(parse_bytes("--x", text), Error) << text;
  }
}

TEST(InQuotes, IsOneShortLine) {
  EXPECT_EQ(in_quotes(""), "''");
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0ab'");
  EXPECT_EQ(in_quotes(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
  EXPECT_EQ(in_quotes(std::string(10'000, 'x')), "'" + std::string(80, 'x') + "...' (10000 bytes)");
  // The limit falls inside the two bytes of the last character shown.
  EXPECT_EQ(in_quotes(std::string(79, 'x') + "\u00e9\u00e9"),
            "'" + std::string(79, 'x') + "...' (83 bytes)");
}

TEST(ParseNumber, AVeryLongValueIsShortenedInTheMessage) {
  try {
    parse_number("--patience", std::string(100'000, '7') + "x");
    FAIL();
  } catch (const Error& error) {
    EXPECT_LT(std::string(error.what()).size(), 200u);
  }
}

TEST(ParseInteger, KeepsToItsBounds) {
  EXPECT_EQ(parse_integer("--n", "0", 0, 5), 0);
  EXPECT_EQ(parse_integer("--n", "5", 0, 5), 5);
  for (const char* text : {"-1", "6", "1.0", "99999999999999999999", "", "five"}) {
    EXPECT_THROW(parse_integer("--n", text, 0, 5), Error) << text;
  }
}

TEST(ParseNumberOrNone, NoneIsNothing) {
  EXPECT_EQ(parse_number_or_none("--x", "none"), std::nullopt);
  EXPECT_EQ(parse_number_or_none("--x", "0.5"), 0.5);
  EXPECT_THROW(parse_number_or_none("--x", "None?"), Error);
}

TEST(ParseNumbers, AreSeparatedByCommas) {
  EXPECT_THAT(parse_numbers("--x", "0,0.2, 0.4"), ElementsAre(0, 0.2, 0.4));
  EXPECT_THAT(parse_numbers("--x", "1"), ElementsAre(1));
  for (const char* text : {"", " ", ",", "1,", "1,,2"}) {
    EXPECT_THROW(parse_numbers("--x", text), Error) << text;
  }
}

TEST(SplitList, TakesTheSpaceAroundThePartsAway) {
  EXPECT_THAT(split_list("srt, vtt ,json"), ElementsAre("srt", "vtt", "json"));
  EXPECT_THAT(split_list("  "), IsEmpty());
}

}  // namespace
}  // namespace steno::cli
