#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "unit/text/small_vocabulary.h"

namespace steno::text {
namespace {

using Ids = std::vector<int>;

// 256 "he", 257 " t", 258 " the", 259 "日", 260 the first half of "😀", 261 nothing; specials from
// 262 on.
Tokenizer small_tokenizer() {
  return Tokenizer(small_vocabulary({"he", " t", " the", "日", "\xF0\x9F", ""}));
}

TEST(Tokenizer, EncodesWordsWithTheirSpaces) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.encode(""), Ids{});
  EXPECT_EQ(tokenizer.encode("the the"), (Ids{'t', 256, 258}));
  EXPECT_EQ(tokenizer.encode("  the "), (Ids{' ', 258, ' '}));
}

TEST(Tokenizer, SpecialsInTextArePlainText) {
  const Tokenizer tokenizer = small_tokenizer();
  for (const std::string& special : kSmallSpecials) {
    const Ids ids = tokenizer.encode("a" + special + "b");
    for (const int id : ids) EXPECT_FALSE(tokenizer.is_special(id));
    EXPECT_EQ(tokenizer.decode(ids), "a" + special + "b");
  }
}

TEST(Tokenizer, EncodingRepairsMalformedText) {
  const Tokenizer tokenizer = small_tokenizer();
  for (const char* text : {"\xFF", "a\xED\xA0\x80z", "\xF0\x9F\x98", "\xC3", "ok \x80"}) {
    const Ids ids = tokenizer.encode(text);
    EXPECT_EQ(ids, tokenizer.encode(tokenizer.decode(ids))) << text;
    EXPECT_NE(tokenizer.decode(ids).find("\uFFFD"), std::string::npos) << text;
  }
}

TEST(Tokenizer, DecodingGivesTheTextBack) {
  const Tokenizer tokenizer = small_tokenizer();
  for (const std::string& text :
       {std::string("the \n\n tab\tend  "),
        std::string("日本 👩‍👩‍👧‍👦 e\u0301\u00A0ß"), std::string("a\0b", 3)}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
}

TEST(Tokenizer, DecodingJoinsBytesBeforeItRepairs) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.decode(Ids{260, 0x98, 0x80}), "😀");
  EXPECT_EQ(tokenizer.decode(Ids{260, 261, 0x98, 262, 0x80}),
            "😀");  // an empty token and a special between
  EXPECT_EQ(tokenizer.decode(Ids{260, 'a'}), "\uFFFDa");
  EXPECT_EQ(tokenizer.decode(Ids{260}), "\uFFFD");
}

TEST(Tokenizer, SpecialsAreSkippedOrShown) {
  const Tokenizer tokenizer = small_tokenizer();
  const Ids ids = {263, 264, 265, 258, 266, 262};
  EXPECT_EQ(tokenizer.decode(ids), " the");
  EXPECT_EQ(tokenizer.decode(ids, Specials::kShow),
            "<|startoftranscript|><|en|><|0.00|> the<|0.02|><|endoftext|>");
}

TEST(Tokenizer, FindsSpecialsByNameOnly) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_EQ(tokenizer.num_tokens(), 267);
  EXPECT_EQ(tokenizer.first_special(), 262);
  EXPECT_EQ(tokenizer.find_special("<|endoftext|>"), 262);
  EXPECT_EQ(tokenizer.find_special("<|0.02|>"), 266);
  EXPECT_EQ(tokenizer.find_special("<|nospeech|>"), std::nullopt);
  EXPECT_EQ(tokenizer.find_special(" the"), std::nullopt);
  EXPECT_FALSE(tokenizer.is_special(261));
  EXPECT_TRUE(tokenizer.is_special(262));
}

TEST(Tokenizer, IdsBeyondTheVocabularyAreSpecialAndHaveNoText) {
  const Tokenizer tokenizer = small_tokenizer();
  EXPECT_TRUE(tokenizer.is_special(51864));
  EXPECT_EQ(tokenizer.token_bytes(51864), "");
  EXPECT_EQ(tokenizer.decode(Ids{'a', 51864, 'b'}, Specials::kShow), "ab");
  EXPECT_THROW(tokenizer.token_bytes(-1), Error);
}

TEST(Tokenizer, WorksAfterAMove) {
  Tokenizer first = small_tokenizer();
  Tokenizer second = std::move(first);
  first = small_tokenizer();
  EXPECT_EQ(second.encode(" the"), first.encode(" the"));
  EXPECT_EQ(second.find_special("<|en|>"), 264);
}

// Each would run into the time limit if any step were quadratic.
TEST(Tokenizer, VeryLongTexts) {
  const Tokenizer tokenizer = small_tokenizer();
  constexpr int kSize = 1 << 17;
  std::string words;
  while (words.size() < kSize) words += " the 日本";
  for (const std::string& text :
       {std::string(kSize, 'h'), std::string(kSize, ' '), std::string(kSize, '\''),
        std::string(kSize, '\n') + "x", words}) {
    EXPECT_EQ(tokenizer.decode(tokenizer.encode(text)), text);
  }
}

}  // namespace
}  // namespace steno::text
