#include "transcribe/guards.h"

#include <gtest/gtest.h>

#include <vector>

namespace steno::transcribe {
namespace {

std::vector<int> repeat(std::vector<int> unit, int copies) {
  std::vector<int> tokens = {900, 901};  // what was said before
  for (int i = 0; i < copies; ++i) tokens.insert(tokens.end(), unit.begin(), unit.end());
  return tokens;
}

TEST(Guards, ARunOfCopiesAtTheEndIsFound) {
  const auto loop = find_repetition(repeat({1, 2, 3}, 7));
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->unit, 3U);
  EXPECT_EQ(loop->copies, 7U);
  EXPECT_EQ(loop->begin, 2U);
}

TEST(Guards, ACopyThatWasCutOffStillIsALoop) {
  std::vector<int> tokens = repeat({1, 2, 3}, 7);
  tokens.push_back(1);
  const auto loop = find_repetition(tokens);
  ASSERT_TRUE(loop);
  EXPECT_EQ(loop->unit, 3U);
  EXPECT_EQ(loop->copies, 7U);
}

TEST(Guards, OrdinaryTextIsNoLoop) {
  EXPECT_FALSE(find_repetition(std::vector<int>{}));
  EXPECT_FALSE(find_repetition(std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(find_repetition(repeat({5}, 3))) << "no, no, no";
}

TEST(Guards, ARealRefrainKeepsAllItsCopies) {
  const auto refrain = find_repetition(repeat({1, 2, 3, 4, 5, 6}, 8));
  ASSERT_TRUE(refrain);
  EXPECT_EQ(supported_copies(*refrain, 16), 8U) << "two seconds a line";
}

TEST(Guards, CopiesThatNobodyCouldSaySoFastAreNotSupported) {
  const auto loop = find_repetition(repeat({1, 2, 3}, 70));
  ASSERT_TRUE(loop);
  EXPECT_EQ(supported_copies(*loop, 2), 8U) << "24 tokens in two seconds";
  EXPECT_EQ(supported_copies(*loop, 0), 1U);
}

TEST(Guards, TheBestAttemptDoesNotRepeatItself) {
  std::vector<models::WindowText> attempts(3);
  attempts[0].avg_logprob = -0.1;
  attempts[0].compression_ratio = 9;
  attempts[1].avg_logprob = -1.2;
  attempts[2].avg_logprob = -1.6;
  EXPECT_EQ(best_attempt(attempts, {}).avg_logprob, -1.2);
  attempts[1].compression_ratio = attempts[2].compression_ratio = 9;
  EXPECT_EQ(best_attempt(attempts, {}).avg_logprob, -0.1);
}

TEST(Guards, SilenceIsNotTriedAgain) {
  models::WindowText text;
  text.avg_logprob = -1.5;
  EXPECT_TRUE(needs_retry(text, {}));
  text.no_speech_prob = 0.7;
  EXPECT_TRUE(is_silence(text, {}));
  EXPECT_FALSE(needs_retry(text, {}));
  EXPECT_TRUE(is_skipped(text, {}));
}

TEST(Guards, LikelyTextIsKeptWhateverTheNoSpeechTokenSays) {
  models::WindowText text;
  text.avg_logprob = -0.3;
  text.no_speech_prob = 0.95;
  EXPECT_FALSE(is_skipped(text, {}));
}

TEST(Guards, TextOfPromptWordsAloneMayBeThePrompt) {
  EXPECT_TRUE(may_be_prompt(" Kubernetes, Steno.", "steno kubernetes etcd"));
  EXPECT_TRUE(may_be_prompt("Größe", "die größe Größe"));
  EXPECT_FALSE(may_be_prompt("Steno runs.", "steno kubernetes"));
  EXPECT_FALSE(may_be_prompt("...", "steno")) << "no word at all";
  EXPECT_FALSE(may_be_prompt("steno", ""));
}

TEST(LoudnessRange, IsThatOfTheLoudAndTheQuietTenth) {
  std::vector<float> pcm(16000);
  for (std::size_t i = 0; i < pcm.size(); ++i) pcm[i] = i < 4000 ? 0.01F : 0.1F;
  EXPECT_NEAR(loudness_range_db(pcm), 20, 1e-3);
  for (std::size_t i = 0; i < pcm.size(); ++i) pcm[i] = i < 160 ? 0.01F : 0.1F;  // one frame
  EXPECT_NEAR(loudness_range_db(pcm), 0, 1e-3);
}

TEST(LoudnessRange, OfDigitalSilenceIsNone) {
  EXPECT_EQ(loudness_range_db(std::vector<float>(16000)), 0);
  EXPECT_EQ(loudness_range_db({}), 0);
  const std::vector<float> less_than_a_frame(159, 1.0F);
  EXPECT_EQ(loudness_range_db(less_than_a_frame), 0);
}

TEST(TooFast, IsMoreThanTwelveTokensASecond) {
  EXPECT_FALSE(is_too_fast(36, 2));
  EXPECT_TRUE(is_too_fast(37, 2));
  EXPECT_FALSE(is_too_fast(12, 0));
  EXPECT_TRUE(is_too_fast(13, 0));
}

}  // namespace
}  // namespace steno::transcribe
