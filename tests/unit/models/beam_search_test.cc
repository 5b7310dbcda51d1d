#include "models/whisper/decoding/beam_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace steno::models::whisper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kEot = 0;

// Logits whose log-softmax is the logarithm of the probabilities given.
std::vector<float> logits_of(std::vector<double> probabilities) {
  std::vector<float> logits;
  for (const double p : probabilities) logits.push_back(static_cast<float>(std::log(p)) + 3.0F);
  return logits;
}

std::vector<int> update(BeamSearch& search, const std::vector<std::vector<float>>& logits) {
  return search.update({std::vector<std::span<const float>>(logits.begin(), logits.end())});
}

TEST(BeamSearch, BeginsWithOneRowAndSpreads) {
  BeamSearch search(2, 1.0, kEot);
  ASSERT_EQ(search.rows().size(), 1U);
  EXPECT_THAT(update(search, {logits_of({0.1, 0.2, 0.3, 0.4})}), ElementsAre(0, 0));
  EXPECT_THAT(search.rows()[0].tokens, ElementsAre(3));
  EXPECT_THAT(search.rows()[1].tokens, ElementsAre(2));
  EXPECT_NEAR(search.rows()[0].sum_logprob, std::log(0.4), 1e-6);
}

TEST(BeamSearch, TheBestExtensionsMayAllComeFromOneRow) {
  BeamSearch search(2, 1.0, kEot);
  update(search, {logits_of({0.01, 0.09, 0.3, 0.6})});
  // 0.6 * 0.5, 0.6 * 0.4 beat everything of the row with 0.3.
  EXPECT_THAT(update(search, {logits_of({0.05, 0.5, 0.4, 0.05}), logits_of({0.1, 0.3, 0.3, 0.3})}),
              ElementsAre(0, 0));
  EXPECT_THAT(search.rows()[0].tokens, ElementsAre(3, 1));
  EXPECT_THAT(search.rows()[1].tokens, ElementsAre(3, 2));
}

TEST(BeamSearch, EndsWhenAsManyEndedAsTheBeamIsWide) {
  BeamSearch search(2, 1.0, kEot);
  update(search, {logits_of({0.4, 0.3, 0.2, 0.1})});  // eot leads: one is finished
  EXPECT_EQ(search.rows().size(), 2U);
  EXPECT_THAT(update(search, {logits_of({0.9, 0.05, 0.03, 0.02}), logits_of({0.1, 0.3, 0.3, 0.3})}),
              IsEmpty());
  EXPECT_THAT(search.rows(), IsEmpty());
  const std::vector<Hypothesis> candidates = search.finalize();
  ASSERT_EQ(candidates.size(), 2U);
  EXPECT_THAT(candidates[0].tokens, IsEmpty());
  EXPECT_THAT(candidates[1].tokens, ElementsAre(1));
  EXPECT_NEAR(candidates[1].sum_logprob, std::log(0.3 * 0.9), 1e-5);
}

TEST(BeamSearch, AnEotBelowTheFilledBeamIsNotTaken) {
  BeamSearch search(2, 1.0, kEot);
  update(search, {logits_of({0.1, 0.5, 0.3, 0.1})});
  EXPECT_EQ(search.finalize().size(), 2U);  // both unfinished rows, no eot of probability 0.1
}

TEST(BeamSearch, PatienceWaitsForMore) {
  BeamSearch search(2, 2.0, kEot);  // until four ended
  const std::vector<float> ends = logits_of({0.7, 0.1, 0.1, 0.1});
  update(search, {ends});
  update(search, {ends, ends});
  EXPECT_EQ(search.rows().size(), 2U);  // three ended
  update(search, {ends, ends});
  EXPECT_THAT(search.rows(), IsEmpty());
  EXPECT_EQ(search.finalize().size(), 4U);  // the fifth came too late
}

TEST(BeamSearch, FillsUpWithTheBestUnfinished) {
  BeamSearch search(3, 1.0, kEot);
  update(search, {logits_of({0.5, 0.25, 0.15, 0.1})});
  const std::vector<Hypothesis> candidates = search.finalize();
  ASSERT_EQ(candidates.size(), 3U);
  EXPECT_THAT(candidates[0].tokens, IsEmpty());
  EXPECT_THAT(candidates[1].tokens, ElementsAre(1));
  EXPECT_THAT(candidates[2].tokens, ElementsAre(2));
}

TEST(BeamSearch, ForbiddenTokensNeverFillTheBeam) {
  const float never = -std::numeric_limits<float>::infinity();
  BeamSearch search(2, 1.0, kEot);
  update(search, {{never, 1.0F, 0.5F, never}});
  EXPECT_THAT(search.rows()[0].tokens, ElementsAre(1));
  EXPECT_THAT(search.rows()[1].tokens, ElementsAre(2));
}

TEST(BestCandidate, RanksByMeanLogProbability) {
  const std::vector<Hypothesis> candidates = {{{1, 2}, -2.0F}, {{1, 2, 3, 4}, -3.0F}};
  EXPECT_EQ(best_candidate(candidates, std::nullopt), 1);  // -1.0 against -0.75
  EXPECT_EQ(best_candidate(candidates, 0.0), 0);           // no penalty: -2 against -3
}

TEST(BestCandidate, TakesTheFirstOfEqualsAndAnEmptyText) {
  EXPECT_EQ(best_candidate(std::vector<Hypothesis>{{{1}, -1.0F}, {{2}, -1.0F}}, std::nullopt), 0);
  EXPECT_EQ(best_candidate(std::vector<Hypothesis>{{{}, -1.0F}}, std::nullopt), 0);
}

}  // namespace
}  // namespace steno::models::whisper
