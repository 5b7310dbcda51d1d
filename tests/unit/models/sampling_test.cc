#include "models/whisper/decoding/sampling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace steno::models::whisper {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kEot = 0;

std::vector<int> update(Sampling& sampling, const std::vector<std::vector<float>>& logits) {
  return sampling.update({std::vector<std::span<const float>>(logits.begin(), logits.end())});
}

TEST(Sampling, AtTemperatureZeroTakesTheFirstOfTheLargest) {
  Sampling greedy(1, 0.0, 7, kEot);
  EXPECT_THAT(update(greedy, {{0.0F, 2.0F, 5.0F, 5.0F}}), ElementsAre(0));
  EXPECT_THAT(greedy.rows()[0].tokens, ElementsAre(2));
  EXPECT_THAT(update(greedy, {{9.0F, 2.0F, 5.0F, 5.0F}}), IsEmpty());
  const std::vector<Hypothesis> candidates = greedy.finalize();
  ASSERT_EQ(candidates.size(), 1U);
  EXPECT_THAT(candidates[0].tokens, ElementsAre(2));
  const double first = 5 - std::log(std::exp(0.0) + std::exp(2.0) + 2 * std::exp(5.0));
  const double second = 9 - std::log(std::exp(9.0) + std::exp(2.0) + 2 * std::exp(5.0));
  EXPECT_NEAR(candidates[0].sum_logprob, first + second, 1e-5);
}

TEST(Sampling, FollowsTheDistributionAtItsTemperature) {
  constexpr int kSamples = 20000;
  const std::vector<float> logits = {-std::numeric_limits<float>::infinity(), std::log(0.2F),
                                     std::log(0.3F), std::log(0.5F)};
  Sampling sampling(kSamples, 0.5, 11, kEot);
  update(sampling, {logits});
  std::array<int, 4> counts{};
  for (const Hypothesis& row : sampling.rows()) ++counts[static_cast<std::size_t>(row.tokens[0])];
  // softmax(log p / 0.5) is p^2, normalised.
  const double total = 0.04 + 0.09 + 0.25;
  EXPECT_EQ(counts[0], 0);
  // Four standard deviations of a binomial share.
  EXPECT_NEAR(counts[1] / double{kSamples}, 0.04 / total, 4 * std::sqrt(0.1 * 0.9 / kSamples));
  EXPECT_NEAR(counts[3] / double{kSamples}, 0.25 / total, 4 * std::sqrt(0.66 * 0.34 / kSamples));
}

TEST(Sampling, TheSameSeedGivesTheSameSamples) {
  const std::vector<float> logits = {0.1F, 0.5F, 0.3F, 0.2F, 0.6F};
  const auto tokens = [&](std::uint64_t seed) {
    Sampling sampling(8, 1.0, seed, kEot);
    update(sampling, {logits});
    std::vector<std::vector<int>> all;
    for (const Hypothesis& row : sampling.finalize()) all.push_back(row.tokens);
    return all;
  };
  EXPECT_EQ(tokens(5), tokens(5));
  EXPECT_NE(tokens(5), tokens(6));
}

TEST(Sampling, EndedSamplesLeaveTheBatchAndStayCandidates) {
  const float never = -std::numeric_limits<float>::infinity();
  Sampling sampling(3, 1.0, 1, kEot);
  EXPECT_THAT(update(sampling, {{never, 0.0F, 0.0F}}), ElementsAre(0, 0, 0));
  EXPECT_THAT(update(sampling, {{never, 0.0F, never}, {0.0F, never, never}, {never, never, 0.0F}}),
              ElementsAre(0, 2));
  EXPECT_EQ(sampling.rows().size(), 2U);
  EXPECT_EQ(sampling.finalize().size(), 3U);
}

}  // namespace
}  // namespace steno::models::whisper
