#include "text/non_speech_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "unit/text/small_vocabulary.h"

namespace steno::text {
namespace {

bool contains(const std::vector<int>& ids, int id) {
  return std::ranges::binary_search(ids, id);
}

// The whole sets of the real vocabularies are in real_vocabulary_test.cc.
TEST(NonSpeechTokens, TakesSymbolsThatAreOneToken) {
  // 256 " [", 257 "<<", 258 " -", 259 the first two bytes of "♪"
  const Tokenizer tokenizer(small_vocabulary({" [", "<<", " -", "\xE2\x99"}));
  const std::vector<int> ids = non_speech_tokens(tokenizer);
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  for (const int id : {256, 257, 258, 259, int{'['}, int{'"'}})
    EXPECT_TRUE(contains(ids, id)) << id;
  for (const int id : {int{'-'}, int{'\''}, int{'.'}, int{','}, 0x99})
    EXPECT_FALSE(contains(ids, id)) << id;
}

TEST(NonSpeechTokens, TakesTheFirstTokenWhereANoteIsSeveral) {
  const Tokenizer tokenizer(small_vocabulary({}));
  const std::vector<int> ids = non_speech_tokens(tokenizer);
  EXPECT_TRUE(contains(ids, 0xE2));
  EXPECT_TRUE(contains(ids, ' '));  // of " ♪"
}

}  // namespace
}  // namespace steno::text
