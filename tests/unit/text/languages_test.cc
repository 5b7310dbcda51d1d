#include "text/languages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "unit/text/golden_texts.h"

namespace steno::text {
namespace {

TEST(Languages, EqualTheReferencesInTheOrderOfTheTokens) {
  const nlohmann::ordered_json golden = load_golden("multilingual.json");
  ASSERT_EQ(languages().size(), golden["languages"].size());
  std::size_t i = 0;
  for (const auto& [code, name] : golden["languages"].items()) {
    EXPECT_EQ(languages()[i].code, code);
    EXPECT_EQ(languages()[i].name, name);
    ++i;
  }
}

TEST(Languages, CodesAndNamesFindThemselves) {
  std::set<std::string_view> codes;
  for (const Language& language : languages()) {
    EXPECT_TRUE(codes.insert(language.code).second);
    EXPECT_EQ(find_language_code(language.code), language.code);
    EXPECT_EQ(find_language_code(language.name), language.code);
    EXPECT_EQ(find_language_name(language.code), language.name);
  }
}

TEST(Languages, NormalisesWhatPeopleType) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"EN", "en"},         {"english", "en"},
      {" en", "en"},        {"en-US", "en"},
      {"zh-CN", "zh"},      {"zh-Hant", "zh"},
      {"zh_Hans_CN", "zh"}, {"ja_JP", "ja"},
      {"ja-JP\n", "ja"},    {"Haitian Creole", "ht"},
      {"\u3000de ", "de"},  {"eng", "en"},
      {"DEU", "de"},        {"ger", "de"},
      {"fra-CA", "fr"},     {"chi", "zh"},
      {"yue-HK", "yue"},    {"nb-NO", "no"},
      {"jv", "jw"},         {"haw", "haw"},
      {"es-419", "es"},     {"de-DE-1996", "de"}};
  for (const auto& [text, code] : cases) EXPECT_EQ(find_language_code(text), code) << text;
}

TEST(Languages, KnowsTheReferencesAliases) {
  const nlohmann::ordered_json golden = load_golden("multilingual.json");
  for (const auto& [name, code] : golden["language_aliases"].items()) {
    EXPECT_EQ(find_language_code(name), code.get<std::string>()) << name;
  }
}

TEST(Languages, DoesNotGuess) {
  for (const std::string_view text :
       {"", " ", "xx", "xx-US", "e", "eng1", "en-", "-en", "en--US", "en US", "en-US!",
        "en-verylongsubtag", "english-US", "auto", "<|en|>", "en\xFF", "энглиш", "none"}) {
    EXPECT_EQ(find_language_code(text), std::nullopt) << text;
  }
  EXPECT_EQ(find_language_code(std::string_view("en\0", 3)), std::nullopt);
  EXPECT_EQ(find_language_name("english"), std::nullopt);
  EXPECT_EQ(find_language_name(""), std::nullopt);
}

}  // namespace
}  // namespace steno::text
