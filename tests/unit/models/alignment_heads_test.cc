#include "models/whisper/alignment_heads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace steno::models::whisper {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr DecoderSize kBase{6, 8, 51865};

std::vector<AlignmentHead> listed(const char* text) {
  return listed_alignment_heads(json::parse(text), kBase);
}

TEST(AlignmentHeads, AreReadFromTheModelsList) {
  EXPECT_THAT(listed(R"({"alignment_heads": [[3, 1], [5, 7]]})"),
              ElementsAre(AlignmentHead{3, 1}, AlignmentHead{5, 7}));
  EXPECT_THAT(listed(R"({"alignment_heads": [[3, 1], [3, 1]]})"), ElementsAre(AlignmentHead{3, 1}));
}

TEST(AlignmentHeads, AListForAnotherDecoderIsNoList) {
  for (const char* text :
       {"{}", R"({"alignment_heads": null})", R"({"alignment_heads": []})",
        R"({"alignment_heads": [[3, 1], [25, 2]]})", R"({"alignment_heads": [[3, 8]]})",
        R"({"alignment_heads": [[-1, 0]]})", R"({"alignment_heads": [[1]]})",
        R"({"alignment_heads": [["a", 1]]})", R"({"alignment_heads": [[1.5, 1]]})",
        R"({"alignment_heads": [[1, 18446744073709551615]]})"}) {
    EXPECT_THAT(listed(text), IsEmpty()) << text;
  }
}

// whisper._ALIGNMENT_HEADS, v20250625.
TEST(AlignmentHeads, OfTheReleasedSizesAreTheReferences) {
  EXPECT_THAT(default_alignment_heads(kBase),
              ElementsAre(AlignmentHead{3, 1}, AlignmentHead{4, 2}, AlignmentHead{4, 3},
                          AlignmentHead{4, 7}, AlignmentHead{5, 1}, AlignmentHead{5, 2},
                          AlignmentHead{5, 4}, AlignmentHead{5, 6}));
  EXPECT_THAT(default_alignment_heads({6, 8, 51864}),
              ElementsAre(AlignmentHead{3, 3}, AlignmentHead{4, 7}, AlignmentHead{5, 1},
                          AlignmentHead{5, 5}, AlignmentHead{5, 7}));
  EXPECT_THAT(default_alignment_heads({4, 20, 51866}),
              ElementsAre(AlignmentHead{2, 4}, AlignmentHead{2, 11}, AlignmentHead{3, 3},
                          AlignmentHead{3, 6}, AlignmentHead{3, 11}, AlignmentHead{3, 14}));
  const std::pair<DecoderSize, std::size_t> counts[] = {
      {{4, 6, 51864}, 8},    {{4, 6, 51865}, 6},   {{12, 12, 51864}, 19}, {{12, 12, 51865}, 10},
      {{24, 16, 51864}, 18}, {{24, 16, 51865}, 6}, {{32, 20, 51865}, 23}, {{32, 20, 51866}, 10}};
  for (const auto& [size, count] : counts) {
    const std::vector<AlignmentHead> heads = default_alignment_heads(size);
    EXPECT_EQ(heads.size(), count) << size.num_layers << " layers";
    for (const AlignmentHead& h : heads) {
      EXPECT_LT(h.layer, size.num_layers);
      EXPECT_LT(h.head, size.num_heads);
    }
  }
}

TEST(AlignmentHeads, OfAnUnknownSizeAreAllOfTheUpperHalf) {
  EXPECT_THAT(default_alignment_heads({3, 2, 2189}),
              ElementsAre(AlignmentHead{1, 0}, AlignmentHead{1, 1}, AlignmentHead{2, 0},
                          AlignmentHead{2, 1}));
  EXPECT_THAT(default_alignment_heads({1, 1, 2189}), ElementsAre(AlignmentHead{0, 0}));
}

}  // namespace
}  // namespace steno::models::whisper
