// Against whisper-normalizer's own results (tools/reference/scoring_goldens.py).
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "base/utf8.h"
#include "scoring/basic_normalizer.h"
#include "scoring/english_normalizer.h"

namespace steno::scoring {
namespace {

nlohmann::json load_cases(const std::string& name) {
  const auto path = std::filesystem::path(STENO_SOURCE_DIR) / "tests/golden/scoring" / name;
  return nlohmann::json::parse(file::read(path)).at("cases");
}

TEST(NormalizeEnglish, IsAsTheReference) {
  const auto cases = load_cases("english.json");
  ASSERT_GT(cases.size(), 900u);
  for (const auto& row : cases) {
    const auto text = row.at(0).get<std::string>();
    EXPECT_EQ(normalize_english(text), row.at(1).get<std::string>()) << text;
  }
}

TEST(NormalizeBasic, IsAsTheReference) {
  const auto cases = load_cases("basic.json");
  ASSERT_GT(cases.size(), 200u);
  for (const auto& row : cases) {
    const auto text = row.at("text").get<std::string>();
    EXPECT_EQ(normalize_basic(text), row.at("plain").get<std::string>()) << text;
    EXPECT_EQ(normalize_basic(text, {.remove_diacritics = true}),
              row.at("remove_diacritics").get<std::string>())
        << text;
    EXPECT_EQ(normalize_basic(text, {.split_letters = true}),
              row.at("split_letters").get<std::string>())
        << text;
  }
}

TEST(Normalizers, TakeMalformedUtf8) {
  EXPECT_EQ(normalize_basic("a\xff"
                            "b"),
            "a b");
  EXPECT_EQ(normalize_english("a\xc3 b\xf0\x9f"), "a b");
  for (int byte = 0; byte < 256; ++byte) {
    const std::string text = {'$', '1', static_cast<char>(byte), ' ', 'o', 'h'};
    EXPECT_TRUE(utf8::is_valid(normalize_english(text))) << byte;
    EXPECT_TRUE(utf8::is_valid(normalize_basic(text, {.split_letters = true}))) << byte;
  }
}

}  // namespace
}  // namespace steno::scoring
