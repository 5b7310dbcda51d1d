// Against jiwer's counts (tools/reference/scoring_goldens.py).
#include "scoring/error_rates.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "scoring/alignment.h"

namespace steno::scoring {
namespace {

using Counts = std::array<std::int64_t, 4>;

Counts counts_of(const Edits& e) {
  return {e.hits, e.substitutions, e.deletions, e.insertions};
}

nlohmann::json load_golden() {
  const auto path = std::filesystem::path(STENO_SOURCE_DIR) / "tests/golden/scoring/errors.json";
  return nlohmann::json::parse(file::read(path));
}

// As in scoring_goldens.py.
std::vector<std::uint32_t> sequence(std::uint64_t state, int length, std::uint64_t num_symbols) {
  std::vector<std::uint32_t> symbols;
  for (int i = 0; i < length; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    symbols.push_back(static_cast<std::uint32_t>((state >> 33) % num_symbols));
  }
  return symbols;
}

// The definition, a row at a time.
std::int64_t distance(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::vector<std::int64_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<std::int64_t>(j);
  for (const std::uint32_t symbol : a) {
    std::int64_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::int64_t replaced = diagonal + (symbol == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

TEST(ErrorRates, AreAsTheReferences) {
  const auto golden = load_golden();
  ASSERT_GT(golden.at("pairs").size(), 100u);
  for (const auto& row : golden.at("pairs")) {
    const auto reference = row.at("reference").get<std::string>();
    const auto hypothesis = row.at("hypothesis").get<std::string>();
    const Edits words = word_edits(reference, hypothesis);
    const Edits characters = character_edits(reference, hypothesis);
    EXPECT_EQ(counts_of(words), row.at("words").get<Counts>()) << row;
    EXPECT_EQ(counts_of(characters), row.at("characters").get<Counts>()) << row;
    EXPECT_DOUBLE_EQ(error_rate(words), row.at("wer").get<double>()) << row;
    EXPECT_DOUBLE_EQ(error_rate(characters), row.at("cer").get<double>()) << row;
  }
}

TEST(CountEdits, LongSequencesAreSplitAsTheReferencesAre) {
  const nlohmann::json golden = load_golden();
  for (const auto& row : golden.at("long")) {
    const auto seed = row.at("seed").get<std::uint64_t>();
    const auto num_symbols = row.at("num_symbols").get<std::uint64_t>();
    const auto front = sequence(seed, row.at("shared").get<int>(), num_symbols);
    std::vector<std::uint32_t> sides[2] = {front, front};
    for (std::size_t side = 0; side < 2; ++side) {
      const auto rest =
          sequence(seed + side + 1, row.at("lengths").at(side).get<int>(), num_symbols);
      sides[side].insert(sides[side].end(), rest.begin(), rest.end());
    }
    EXPECT_EQ(counts_of(count_edits(sides[0], sides[1])), row.at("words").get<Counts>()) << row;
  }
}

TEST(CountEdits, IsTheLeastNumber) {
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    const auto a = sequence(random(), static_cast<int>(random() % 200), 4);
    const auto b = sequence(random(), static_cast<int>(random() % 200), 4);
    const Edits edits = count_edits(a, b);
    EXPECT_EQ(num_errors(edits), distance(a, b));
    EXPECT_EQ(num_reference(edits), static_cast<std::int64_t>(a.size()));
    EXPECT_EQ(edits.hits + edits.substitutions + edits.insertions,
              static_cast<std::int64_t>(b.size()));
  }
}

TEST(ErrorRates, AddUp) {
  Edits all = word_edits("a b c", "a x c");
  all += word_edits("d", "d e");
  EXPECT_EQ(counts_of(all), (Counts{3, 1, 0, 1}));
  EXPECT_DOUBLE_EQ(error_rate(all), 0.5);
}

}  // namespace
}  // namespace steno::scoring
