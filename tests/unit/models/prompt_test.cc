// What stands before the first sampled token.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/error.h"
#include "models/whisper/sequence.h"
#include "small_vocabulary.h"

namespace steno::models::whisper {
namespace {

using ::testing::ElementsAre;

DecodeOptions english() {
  DecodeOptions options;
  options.language = "en";
  return options;
}

TEST(Prompt, IsTheStartSequence) {
  const Prompt prompt = make_prompt(english(), small_vocabulary(), 448);
  EXPECT_THAT(prompt.tokens, ElementsAre(6, 7, 10));
  EXPECT_EQ(prompt.sot_index, 0);
}

TEST(Prompt, NamesLanguageTaskAndTimestamps) {
  DecodeOptions options = english();
  options.language = "zh";
  options.translate = true;
  options.without_timestamps = true;
  EXPECT_THAT(make_prompt(options, small_vocabulary(), 448).tokens, ElementsAre(6, 8, 9, 13));
}

TEST(Prompt, EnglishOnlyModelsTakeNoLanguage) {
  Vocabulary v = small_vocabulary();
  v.is_multilingual = false;
  EXPECT_THAT(make_prompt(english(), v, 448).tokens, ElementsAre(6));
}

TEST(Prompt, KeepsTheLastTokensOfALongPreviousText) {
  DecodeOptions options = english();
  options.prompt_tokens.resize(2000);
  std::iota(options.prompt_tokens.begin(), options.prompt_tokens.end(), 0);
  const Prompt prompt = make_prompt(options, small_vocabulary(), 448);
  EXPECT_EQ(prompt.tokens.size(), 1U + 223U + 3U);
  EXPECT_EQ(prompt.tokens[0], 11);
  EXPECT_EQ(prompt.tokens[1], 2000 - 223);
  EXPECT_EQ(prompt.sot_index, 224);
  EXPECT_EQ(prompt.tokens[224], 6);
}

TEST(Prompt, APrefixFollowsAndIsCutToTheRoomThatAShortTextLeaves) {
  DecodeOptions options = english();
  options.prefix_tokens = {1, 2, 3, 4};
  EXPECT_THAT(make_prompt(options, small_vocabulary(), 448).tokens,
              ElementsAre(6, 7, 10, 1, 2, 3, 4));
  options.max_new_tokens = 222;
  EXPECT_THAT(make_prompt(options, small_vocabulary(), 448).tokens, ElementsAre(6, 7, 10, 3, 4));
}

TEST(Prompt, APrefixThatFillsTheContextIsRefused) {
  DecodeOptions options = english();
  options.prefix_tokens.resize(500, 1);
  EXPECT_THROW(make_prompt(options, small_vocabulary(), 448), Error);
}

}  // namespace
}  // namespace steno::models::whisper
