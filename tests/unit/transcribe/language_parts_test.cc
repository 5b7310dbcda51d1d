#include "transcribe/language_parts.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steno::transcribe {
namespace {

constexpr std::int64_t kSecond = audio::kSampleRate;

SpeechWindow window_of(const std::vector<std::pair<int, int>>& seconds) {
  SpeechWindow window{0, 0, {}};
  for (const auto& [begin, end] : seconds) {
    window.speech.push_back({begin * kSecond, end * kSecond});
  }
  window.end_samples = window.speech.back().end_samples + kSecond;
  return window;
}

TEST(LanguageParts, AWindowIsCutIntoPartsWithEnoughSpeech) {
  const SpeechWindow window = window_of({{0, 3}, {4, 6}, {7, 12}, {13, 15}});
  const std::vector<SpeechWindow> parts = split_into_parts(window);
  ASSERT_EQ(parts.size(), 2U) << "what is behind the second cut is too short for a part";
  EXPECT_EQ(parts[0].begin_samples, 0);
  EXPECT_EQ(parts[0].end_samples, 6 * kSecond + kSecond / 2);
  EXPECT_EQ(parts[0].speech.size(), 2U);
  EXPECT_EQ(parts[1].begin_samples, parts[0].end_samples);
  EXPECT_EQ(parts[1].end_samples, window.end_samples);
  EXPECT_EQ(parts[1].speech.size(), 2U);
}

TEST(LanguageParts, AShortWindowStaysWhole) {
  EXPECT_EQ(split_into_parts(window_of({{0, 3}, {4, 6}})).size(), 1U);
  EXPECT_EQ(split_into_parts(window_of({{0, 28}})).size(), 1U) << "no pause to cut at";
}

TEST(LanguageParts, NeighboursOfOneLanguageAreJoined) {
  const std::vector<SpeechWindow> parts =
      split_into_parts(window_of({{0, 5}, {6, 11}, {12, 17}, {18, 23}}));
  ASSERT_EQ(parts.size(), 4U);
  const auto joined = join_parts(parts, std::vector<std::string>{"en", "en", "es", "en"});
  ASSERT_EQ(joined.size(), 3U);
  EXPECT_EQ(joined[0].language, "en");
  EXPECT_EQ(joined[0].window.end_samples, parts[1].end_samples);
  EXPECT_EQ(joined[0].window.speech.size(), 2U);
  EXPECT_EQ(joined[1].language, "es");
  EXPECT_EQ(joined[1].window.begin_samples, parts[2].begin_samples);
  EXPECT_EQ(joined[2].window.end_samples, parts[3].end_samples);
}

TEST(LanguageParts, OnlyAllowedLanguagesAreTaken) {
  const std::vector<models::LanguageScore> scores = {{"nn", 0.5}, {"en", 0.3}, {"es", 0.2}};
  EXPECT_EQ(best_language(scores, {}).code, "nn");
  const std::vector<std::string> allowed = {"es", "en"};
  EXPECT_EQ(best_language(scores, allowed).code, "en");
  EXPECT_EQ(best_language(scores, std::vector<std::string>{"xx"}).probability, 0);
  EXPECT_TRUE(may_be_mixed(scores[0]));
}

TEST(LanguageParts, WhatIsSpokenAroundIsExpected) {
  const std::vector<models::LanguageScore> scores = {{"it", 0.6}, {"es", 0.3}, {"en", 0.01}};
  EXPECT_EQ(best_language(scores, {}, std::vector<std::string>{"es"}).code, "es");
  EXPECT_EQ(best_language(scores, {}, std::vector<std::string>{"en"}).code, "it");
}

}  // namespace
}  // namespace steno::transcribe
