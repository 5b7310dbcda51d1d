#include "models/whisper/decoding/logit_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "small_vocabulary.h"

namespace steno::models::whisper {
namespace {

using ::testing::ElementsAre;

// Which tokens the rules leave, from logits where text is far likelier than all timestamps
// together.
std::vector<int> allowed(const LogitRules& rules, const std::vector<int>& sampled,
                         float timestamp_logit = -20.0F) {
  const Vocabulary v = small_vocabulary();
  std::vector<float> logits(static_cast<std::size_t>(v.size), 0.0F);
  for (int t = v.timestamp_begin; t < v.size; ++t)
    logits[static_cast<std::size_t>(t)] = timestamp_logit;
  apply(rules, v, sampled, logits);
  std::vector<int> left;
  for (int t = 0; t < v.size; ++t) {
    if (std::isfinite(logits[static_cast<std::size_t>(t)])) left.push_back(t);
  }
  return left;
}

TEST(LogitRules, WithoutTimestampsOnlyListsAreSuppressed) {
  LogitRules rules;
  rules.first_suppressed = {1, 5};
  rules.suppressed = {3};
  rules.timestamps = false;
  EXPECT_THAT(allowed(rules, {}), ::testing::Not(::testing::Contains(::testing::AnyOf(1, 3, 5))));
  EXPECT_THAT(allowed(rules, {2}), ::testing::IsSupersetOf({1, 5, 13, 14}));
}

TEST(LogitRules, TheFirstTokenIsATimestampNotTooLate) {
  LogitRules limited;
  limited.max_initial_timestamp = 2;
  EXPECT_THAT(allowed(limited, {}), ElementsAre(14, 15, 16));
  EXPECT_THAT(allowed({}, {}), ElementsAre(14, 15, 16, 17, 18, 19, 20, 21, 22, 23));
}

TEST(LogitRules, AfterThePairOrTheFirstTimestampTextFollows) {
  EXPECT_THAT(allowed({}, {14}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_THAT(allowed({}, {14, 2, 16, 16}), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
}

TEST(LogitRules, AfterTextAndATimestampComesItsTwinOrTheEnd) {
  // eot and the other control tokens stay, as in the reference; times from 16 on.
  EXPECT_THAT(allowed({}, {14, 2, 16}),
              ElementsAre(5, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19, 20, 21, 22, 23));
}

TEST(LogitRules, ASegmentThatClosesAtTheEndOfSpeechIsTheLast) {
  LogitRules rules;
  rules.end_timestamp = 3;
  EXPECT_THAT(allowed(rules, {14, 2, 17}), ElementsAre(5));
  EXPECT_THAT(allowed(rules, {14, 2, 18}), ElementsAre(5));
  EXPECT_THAT(allowed(rules, {14, 2, 16}), ::testing::IsSupersetOf({5, 16, 17}));
  EXPECT_THAT(allowed(rules, {14, 2, 16, 17}), ::testing::Contains(2));  // opens a segment
}

TEST(LogitRules, NoTimestampLiesBehindTheWindow) {
  LogitRules rules;
  rules.last_timestamp = 4;
  EXPECT_THAT(allowed(rules, {}), ElementsAre(14, 15, 16, 17, 18));
  EXPECT_THAT(allowed(rules, {14, 2, 18}), ElementsAre(5, 6, 7, 8, 9, 10, 11, 12, 18));
}

TEST(LogitRules, TimesRiseWithinText) {
  EXPECT_THAT(allowed({}, {16, 2}),
              ::testing::Not(::testing::Contains(::testing::AnyOf(14, 15, 16))));
  EXPECT_THAT(allowed({}, {16, 2}), ::testing::Contains(17));
}

TEST(LogitRules, TimestampsWinWhenTogetherTheyAreLikelier) {
  // Ten timestamps at -2 have together log(10) - 2 = 0.30 against 0 for each text token.
  EXPECT_THAT(allowed({}, {14, 2}, -2.0F), ElementsAre(15, 16, 17, 18, 19, 20, 21, 22, 23));
  // At -2.5: log(9) - 2.5 = -0.30.
  EXPECT_THAT(allowed({}, {14, 2}, -2.5F), ::testing::Contains(0));
}

TEST(LogitRules, NoTimestampsIsNeverSampledWhenTimestampsAre) {
  EXPECT_THAT(allowed({}, {14, 2}), ::testing::Not(::testing::Contains(13)));
}

}  // namespace
}  // namespace steno::models::whisper
