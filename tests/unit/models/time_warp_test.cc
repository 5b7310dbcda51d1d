// Median filter and dynamic time warping against openai-whisper's. Vectors:
// tests/golden/whisper/word_times.json, made by tools/reference.
#include "models/whisper/time_warp.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <vector>

#include "support/golden.h"

namespace steno::models::whisper {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::Pointwise;

nlohmann::json vectors(const char* key) {
  return golden::load_json(golden::folder() / "whisper" / "word_times.json")[key];
}

TEST(TimeWarp, MediansAreTheReferences) {
  const nlohmann::json cases = vectors("median_filter");
  ASSERT_GE(cases.size(), 10U);
  for (const nlohmann::json& c : cases) {
    const auto row = c["row"].get<std::vector<float>>();
    std::vector<float> out(row.size());
    median_filter_7(row, out);
    EXPECT_THAT(out, Pointwise(FloatNear(1e-6F), c["median"].get<std::vector<float>>()));
  }
}

// The network of exchanges against sorting, on every order of seven values and ties.
TEST(TimeWarp, TheMedianOfSevenIsTheFourthOfThemInAnyOrder) {
  std::vector<float> row = {1, 2, 3, 4, 5, 6, 7};
  std::vector<float> out(7);
  do {
    median_filter_7(row, out);
    ASSERT_EQ(out[3], 4);
  } while (std::next_permutation(row.begin(), row.end()));
  row = {1, 1, 2, 2, 2, 3, 3};
  do {
    median_filter_7(row, out);
    ASSERT_EQ(out[3], 2);
  } while (std::next_permutation(row.begin(), row.end()));
}

TEST(TimeWarp, PathsAreTheReferencesTiesIncluded) {
  const nlohmann::json cases = vectors("warp");
  ASSERT_GE(cases.size(), 18U);
  for (const nlohmann::json& c : cases) {
    std::vector<float> cost;
    for (const nlohmann::json& row : c["cost"]) {
      for (const nlohmann::json& value : row) cost.push_back(value.get<float>());
    }
    const auto rows = static_cast<std::int64_t>(c["cost"].size());
    const auto columns = static_cast<std::int64_t>(c["cost"][0].size());
    EXPECT_EQ(warp_rows({cost, rows, columns}), c["starts"].get<std::vector<int>>())
        << rows << " by " << columns;
  }
}

TEST(TimeWarp, AMatrixThatIsNoNumberStillHasAPath) {
  const std::vector<float> cost(4 * 7, std::nanf(""));
  const std::vector<int> starts = warp_rows({cost, 4, 7});
  ASSERT_EQ(starts.size(), 4U);
  EXPECT_TRUE(std::is_sorted(starts.begin(), starts.end()));
  EXPECT_GE(starts.front(), 0);
  EXPECT_LT(starts.back(), 7);
}

TEST(TimeWarp, ColumnsGetMeanZeroAndDeviationOne) {
  std::vector<float> x = {1, 10, 5,  //
                          2, 10, 7,  //
                          3, 10, 12};
  standardise_columns(x, 3, 3);
  const float edge = std::sqrt(1.5F);
  EXPECT_NEAR(x[0], -edge, 1e-6);
  EXPECT_NEAR(x[3], 0, 1e-6);
  EXPECT_NEAR(x[6], edge, 1e-6);
  EXPECT_THAT((std::vector<float>{x[1], x[4], x[7]}), Each(0.0F)) << "a column of equals";
}

// A text spoken evenly: distinct times that rise, whatever the language.
TEST(TimeWarp, AttentionAlongTheDiagonalGivesTimesThatRise) {
  constexpr int kRows = 30;
  constexpr int kColumns = 300;
  std::vector<float> weights(kRows * kColumns);
  for (int r = 0; r < kRows; ++r) {
    for (int k = 0; k < kColumns; ++k) {
      const double distance = (k - 10 * r - 5) / 4.0;
      weights[static_cast<std::size_t>(r * kColumns + k)] =
          static_cast<float>(std::exp(-distance * distance));
    }
  }
  HeadMean heads(kRows, kColumns);
  heads.add(weights);
  heads.add(weights);
  std::vector<float> cost = heads.mean();
  for (float& x : cost) x = -x;
  const std::vector<int> starts = warp_rows({cost, kRows, kColumns});
  EXPECT_EQ(starts[0], 0);
  for (int r = 1; r < kRows; ++r) {
    EXPECT_NEAR(starts[static_cast<std::size_t>(r)], 10 * r, 2) << "row " << r;
  }
}

}  // namespace
}  // namespace steno::models::whisper
