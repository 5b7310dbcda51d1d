#include "output/line_breaking.h"

#include <gtest/gtest.h>

namespace steno::output {
namespace {

// Python: sum(0 if unicodedata.category(c) in ("Mn", "Me", "Cf") else
//             2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)
TEST(NumColumns, FullWidthTakesTwoAndCombiningNone) {
  const std::pair<const char*, int> cases[] = {
      {"", 0},           {"abc", 3},    {"caf\u00e9", 4}, {"cafe\u0301", 4},  {"日本語", 6},
      {"ｶﾅ", 2},         {"한국어", 6}, {"。", 2},        {"ﬀ", 1},           {"สวัสดี", 4},
      {"\U0001F600", 2}, {"שָׁלוֹם", 4},   {"нет", 3},       {"a\u200db", 2},    {"Ａ１", 4},
      {"หนังสือ", 5},      {"“x”", 3},    {"–", 1},         {"\U00020000x", 3}, {"नमस्ते", 4},
  };
  for (const auto& [text, columns] : cases) EXPECT_EQ(num_columns(text), columns) << text;
}

TEST(MayBreakBetween, OnlyInScriptsWithoutSpaces) {
  EXPECT_TRUE(may_break_between("日本", "語"));
  EXPECT_TRUE(may_break_between("これは", "AI"));
  EXPECT_TRUE(may_break_between("AI", "です"));
  EXPECT_TRUE(may_break_between("ไทย", "มา"));
  EXPECT_FALSE(may_break_between("well", "-known"));
  EXPECT_FALSE(may_break_between("$3", ".50"));
  EXPECT_FALSE(may_break_between("l'", "eau"));
  EXPECT_FALSE(may_break_between("한", "국"));
}

TEST(MayBreakBetween, NeverBeforeWhatBelongsToTheCharacterBefore) {
  for (const char* after : {"。", "、", "」", "ー", "ッ", "ょ", "々", "！", ")", "\u3099", "）"}) {
    EXPECT_FALSE(may_break_between("本", after)) << after;
  }
  EXPECT_FALSE(may_break_between("「", "本"));
  EXPECT_FALSE(may_break_between("เ", "ธ"));
  EXPECT_FALSE(may_break_between("ด", "\u0e35"));
}

TEST(PhraseEnd, SeesMarksBehindClosingOnes) {
  for (const char* text : {"end.", "end!", "end?", "end…", "end.\"", "end.)", "end?”", "終わり。",
                           "終わり。」", "अंत।", "نهاية؟"}) {
    EXPECT_EQ(phrase_end(text, "Next"), PhraseEnd::kSentence) << text;
  }
  for (const char* text : {"so,", "so;", "so:", "そして、", "so –", "so,\"", "لكن،"}) {
    EXPECT_EQ(phrase_end(text, "Next"), PhraseEnd::kClause) << text;
  }
  for (const char* text : {"so", "3.5", "\"", ")", "日本"}) {
    EXPECT_EQ(phrase_end(text, "Next"), PhraseEnd::kNone) << text;
  }
}

TEST(PhraseEnd, AFullStopOfAnAbbreviationEndsNothing) {
  for (const char* text : {"Mr.", "(Dr.", "J.", "e.g.", "vs."}) {
    EXPECT_EQ(phrase_end(text, "Smith"), PhraseEnd::kNone) << text;
  }
  EXPECT_EQ(phrase_end("p.m.", "and"), PhraseEnd::kNone);
  EXPECT_EQ(phrase_end("I.", "Then"), PhraseEnd::kSentence);
  EXPECT_EQ(phrase_end("No.", "Then"), PhraseEnd::kSentence);
  EXPECT_EQ(phrase_end("end.", ""), PhraseEnd::kSentence);
}

}  // namespace
}  // namespace steno::output
