#include "base/utf8.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/file.h"

namespace steno::utf8 {
namespace {

using namespace std::string_literals;

struct Case {
  std::string bytes;
  std::string repaired;
};

const Case kCases[] = {
    {"", ""},
    {"plain", "plain"},
    {"a\0b"s, "a\0b"s},
    {"ß €  😀 \xF4\x8F\xBF\xBF", "ß €  😀 \xF4\x8F\xBF\xBF"},
    {"\x80", "\uFFFD"},
    {"\xC0\xAF", "\uFFFD\uFFFD"},                      // overlong '/'
    {"\xE0\x80\xBF", "\uFFFD\uFFFD\uFFFD"},            // overlong, first trail out of range
    {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},            // lone surrogate U+D800
    {"\xF4\x90\x80\x80", "\uFFFD\uFFFD\uFFFD\uFFFD"},  // U+110000
    {"\xFF\xFE", "\uFFFD\uFFFD"},
    {"\xE2\x82", "\uFFFD"},  // cut off: one maximal subpart
    {"\xF0\x9F\x98", "\uFFFD"},
    {"\xF0\x9F\x98z", "\uFFFDz"},
    {"\xE2\x82\xE2\x82\xAC", "\uFFFD€"},
    {"\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41", "\uFFFD\uFFFD\uFFFD\uFFFDA"},  // Unicode's table 3-8
};

TEST(Utf8, ReplacesEachMaximalSubpart) {
  for (const Case& c : kCases) {
    EXPECT_EQ(replace_invalid(c.bytes), c.repaired);
    EXPECT_TRUE(is_valid(replace_invalid(c.bytes)));
    EXPECT_EQ(is_valid(c.bytes), c.bytes == c.repaired);
  }
}

// The vectors in tests/golden/text come from Python's decoder; bytes are written in hex.
TEST(Utf8, ReplacesAsPythonDoes) {
  const nlohmann::json golden = nlohmann::json::parse(
      file::read(std::string(STENO_SOURCE_DIR) + "/tests/golden/text/utf8_replace.json"));
  for (const auto& c : golden["cases"]) {
    const auto hex = c["bytes"].get<std::string>();
    std::string bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
    }
    EXPECT_EQ(replace_invalid(bytes), c["text"]) << hex;
  }
}

TEST(Utf8, ShowsControlCharactersButForThoseKept) {
  EXPECT_EQ(escape_control("a\n\x1b[2J\x7f\t\xFF\u00e9"), "a\\x0a\\x1b[2J\\x7f\\x09\xFF\u00e9");
  EXPECT_EQ(escape_control("\t\n", "\t"), "\t\\x0a");
}

TEST(Utf8, PrintableIsValidAsWell) {
  EXPECT_EQ(printable("talk\xFF\r.wav"), "talk\uFFFD\\x0d.wav");
}

TEST(Utf8, CompletePrefixHoldsBackWhatMoreBytesCouldComplete) {
  EXPECT_EQ(complete_prefix_bytes(""), 0u);
  EXPECT_EQ(complete_prefix_bytes("ab"), 2u);
  EXPECT_EQ(complete_prefix_bytes("a\xC3"), 1u);
  EXPECT_EQ(complete_prefix_bytes("a\xE2\x82"), 1u);
  EXPECT_EQ(complete_prefix_bytes("\xF0\x9F\x98"), 0u);
  EXPECT_EQ(complete_prefix_bytes("\xF0\x9F\x98\x80"), 4u);
}

TEST(Utf8, CompletePrefixKeepsMalformedBytes) {
  EXPECT_EQ(complete_prefix_bytes("\x80\x80\x80\x80\x80"), 5u);
  EXPECT_EQ(complete_prefix_bytes("a\xFF"), 2u);
  EXPECT_EQ(complete_prefix_bytes("\xE0\x80"), 2u);
  EXPECT_EQ(complete_prefix_bytes("\xED\xA0"), 2u);
  EXPECT_EQ(complete_prefix_bytes("\xF5\x80\x80"), 3u);
}

TEST(Utf8, RepairingByPrefixesEqualsRepairingTheWhole) {
  for (const Case& c : kCases) {
    for (std::size_t cut = 0; cut <= c.bytes.size(); ++cut) {
      const std::size_t prefix = complete_prefix_bytes(std::string_view(c.bytes).substr(0, cut));
      EXPECT_EQ(
          replace_invalid(c.bytes.substr(0, prefix)) + replace_invalid(c.bytes.substr(prefix)),
          c.repaired);
    }
  }
}

TEST(Utf8, StripRemovesUnicodeSpacesAtBothEnds) {
  EXPECT_EQ(strip(""), "");
  EXPECT_EQ(strip(" \t\r\n\v\f\x1C\x1F"), "");
  EXPECT_EQ(strip("\u00A0\u2003\u3000 a b \u2029\u0085"), "a b");
  EXPECT_EQ(strip("\u200Ba\uFEFF"), "\u200Ba\uFEFF");  // zero-width, but no spaces
  EXPECT_EQ(strip("日本 "), "日本");
}

TEST(Utf8, StripStopsAtMalformedBytes) {
  EXPECT_EQ(strip(" \xFF "), "\xFF");
  EXPECT_EQ(strip(" \xA0 "), "\xA0");
  EXPECT_EQ(strip("\xE2\x80"), "\xE2\x80");
  EXPECT_EQ(strip("a \x80\x80"), "a \x80\x80");
}

}  // namespace
}  // namespace steno::utf8
