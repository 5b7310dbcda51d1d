#include "text/incremental_decoder.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "unit/text/small_vocabulary.h"

namespace steno::text {
namespace {

using Texts = std::vector<std::string>;

// 256 the first half of "😀", 257 nothing, 258 the end of "日" with a letter; specials from 259 on.
Tokenizer small_tokenizer() {
  return Tokenizer(small_vocabulary({"\xF0\x9F", "", "\xA5x"}));
}

Texts push_all(const std::vector<int>& ids, Specials specials = Specials::kSkip) {
  const Tokenizer tokenizer = small_tokenizer();
  IncrementalDecoder decoder(tokenizer, specials);
  Texts texts;
  for (const int id : ids) texts.push_back(decoder.push(id));
  texts.push_back(decoder.finish());
  return texts;
}

TEST(IncrementalDecoder, HoldsBackIncompleteCharacters) {
  EXPECT_EQ(push_all({'a', 256, 0x98, 0x80, 'b'}), (Texts{"a", "", "", "😀", "b", ""}));
  EXPECT_EQ(push_all({0xE6, 0x97, 258}), (Texts{"", "", "日x", ""}));
}

TEST(IncrementalDecoder, RepairsWhatNeverCompletes) {
  EXPECT_EQ(push_all({256, 'a'}), (Texts{"", "\uFFFDa", ""}));
  EXPECT_EQ(push_all({256, 256}), (Texts{"", "\uFFFD", "\uFFFD"}));
  EXPECT_EQ(push_all({0xFF, 0x80}), (Texts{"\uFFFD", "\uFFFD", ""}));
}

TEST(IncrementalDecoder, SpecialsAndEmptyTokensDoNotCutCharacters) {
  EXPECT_EQ(push_all({256, 257, 259, 0x98, 99999, 0x80}), (Texts{"", "", "", "", "", "😀", ""}));
}

TEST(IncrementalDecoder, ShowsSpecialsOnRequest) {
  EXPECT_EQ(push_all({262, 'a', 259}, Specials::kShow),
            (Texts{"<|0.00|>", "a", "<|endoftext|>", ""}));
}

TEST(IncrementalDecoder, BeginsAnewAfterFinish) {
  const Tokenizer tokenizer = small_tokenizer();
  IncrementalDecoder decoder(tokenizer);
  decoder.push(256);
  EXPECT_EQ(decoder.finish(), "\uFFFD");
  EXPECT_EQ(decoder.finish(), "");
  EXPECT_EQ(decoder.push('a'), "a");
}

TEST(IncrementalDecoder, PartsAreValidAndJoinToTheWhole) {
  const Tokenizer tokenizer = small_tokenizer();
  std::mt19937 random(11);
  for (int round = 0; round < 2000; ++round) {
    const Specials specials = round % 2 == 0 ? Specials::kSkip : Specials::kShow;
    std::vector<int> ids(random() % 12);
    for (int& id : ids)
      id = static_cast<int>(random() % 2 == 0 ? random() % 270 : 0x80 + random() % 0x80);
    std::string joined;
    for (const std::string& text : push_all(ids, specials)) {
      EXPECT_TRUE(utf8::is_valid(text));
      joined += text;
    }
    EXPECT_EQ(joined, tokenizer.decode(ids, specials));
  }
}

}  // namespace
}  // namespace steno::text
