#include "text/bpe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "text/vocabulary.h"
#include "unit/text/small_vocabulary.h"

namespace steno::text {
namespace {

TokenIds token_ids_of(const Vocabulary& vocabulary) {
  TokenIds token_ids;
  for (int id = 0; id < vocabulary.first_special; ++id) token_ids.add(vocabulary.tokens[id], id);
  return token_ids;
}

std::vector<std::string> merge(std::string_view piece, const Vocabulary& vocabulary) {
  std::vector<int> ids;
  append_bpe(piece, token_ids_of(vocabulary), ids);
  std::vector<std::string> tokens;
  for (const int id : ids) tokens.push_back(vocabulary.tokens[id]);
  return tokens;
}

// The definition: again and again the pair with the lowest id, the leftmost of equals.
std::vector<int> merge_naively(const std::string& piece, const TokenIds& token_ids) {
  std::vector<std::string> parts;
  for (const char c : piece) parts.emplace_back(1, c);
  while (true) {
    std::optional<int> best;
    std::size_t at = 0;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const auto id = token_ids.find(parts[i] + parts[i + 1]);
      if (id && (!best || *id < *best)) {
        best = id;
        at = i;
      }
    }
    if (!best) break;
    parts[at] += parts[at + 1];
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  std::vector<int> ids;
  for (const std::string& part : parts) ids.push_back(*token_ids.find(part));
  return ids;
}

using Tokens = std::vector<std::string>;

TEST(Bpe, EmptyPieceHasNoTokens) {
  EXPECT_EQ(merge("", small_vocabulary({""})), Tokens{});
}

TEST(Bpe, LowestIdMergesFirst) {
  EXPECT_EQ(merge("xabcx", small_vocabulary({"bc", "ab"})), (Tokens{"x", "a", "bc", "x"}));
  EXPECT_EQ(merge("xabcx", small_vocabulary({"ab", "bc"})), (Tokens{"x", "ab", "c", "x"}));
}

TEST(Bpe, LeftmostOfEqualsMergesFirst) {
  EXPECT_EQ(merge("aaaaa", small_vocabulary({"aa"})), (Tokens{"aa", "aa", "a"}));
}

TEST(Bpe, AWholePieceIsTakenEvenIfNoMergesReachIt) {
  EXPECT_EQ(merge("abcd", small_vocabulary({"abcd"})), (Tokens{"abcd"}));
  EXPECT_EQ(merge("abcde", small_vocabulary({"abcd"})), (Tokens{"a", "b", "c", "d", "e"}));
}

TEST(Bpe, BytesThatAreNoTextHaveTokens) {
  EXPECT_EQ(merge(std::string("\0\xFF", 2), small_vocabulary({})),
            (Tokens{std::string(1, '\0'), "\xFF"}));
}

TEST(Bpe, EqualsTheDefinitionOnRandomVocabularies) {
  std::mt19937 random(7);
  const auto random_string = [&](int min_bytes, int max_bytes) {
    std::string text(std::uniform_int_distribution(min_bytes, max_bytes)(random), ' ');
    for (char& c : text) c = static_cast<char>('a' + random() % 3);
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    std::set<std::string> different;
    for (int i = 0; i < 40; ++i) different.insert(random_string(2, 6));
    std::vector<std::string> merged(different.begin(), different.end());
    std::ranges::shuffle(merged, random);
    const Vocabulary vocabulary = small_vocabulary(merged);
    const TokenIds token_ids = token_ids_of(vocabulary);
    const std::string piece = random_string(7, 60);  // longer than any token
    std::vector<int> ids;
    append_bpe(piece, token_ids, ids);
    EXPECT_EQ(ids, merge_naively(piece, token_ids)) << piece;
  }
}

// A quadratic algorithm would need 10^10 steps here: the test would run into its time limit.
TEST(Bpe, ALongPieceWithoutABreak) {
  std::vector<std::string> merged;
  for (std::size_t size = 2; size <= 16; size *= 2) merged.emplace_back(size, 'a');
  const Vocabulary vocabulary = small_vocabulary(merged);
  std::vector<int> ids;
  append_bpe(std::string(1 << 17, 'a'), token_ids_of(vocabulary), ids);
  EXPECT_EQ(ids, std::vector<int>((1 << 17) / 16, 259));
}

}  // namespace
}  // namespace steno::text
