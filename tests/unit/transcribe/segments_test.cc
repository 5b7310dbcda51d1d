#include "transcribe/segments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steno::transcribe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr int kTime = 1000;  // token of 0.00 s

SplitWindow split(std::vector<int> tokens, std::int64_t first_frame = 0,
                  std::int64_t num_frames = 3000) {
  return split_window(tokens, {.first_frame = first_frame,
                               .num_frames = num_frames,
                               .frames_per_position = 2,
                               .find_timestamp = [](int token) -> std::optional<int> {
                                 if (token < kTime) return std::nullopt;
                                 return token - kTime;
                               }});
}

TEST(SplitWindow, PairsPartTheSegmentsAndTheTailIsDecodedAgain) {
  const SplitWindow w =
      split({kTime, 1, 2, kTime + 100, kTime + 100, 3, kTime + 250, kTime + 260, 4});
  ASSERT_EQ(w.segments.size(), 2U);
  EXPECT_THAT(w.segments[0].tokens, ElementsAre(kTime, 1, 2, kTime + 100));
  EXPECT_DOUBLE_EQ(w.segments[0].end_s, 2.0);
  EXPECT_DOUBLE_EQ(w.segments[1].start_s, 2.0);
  EXPECT_DOUBLE_EQ(w.segments[1].end_s, 5.0);
  EXPECT_EQ(w.num_frames, 500);  // to the first time of the last pair
}

TEST(SplitWindow, ASingleTimestampAtTheEndUsesTheWholeWindow) {
  const SplitWindow w = split({kTime, 1, kTime + 100, kTime + 100, 3, kTime + 250}, 1000, 2000);
  ASSERT_EQ(w.segments.size(), 2U);
  EXPECT_DOUBLE_EQ(w.segments[0].start_s, 10.0);
  EXPECT_DOUBLE_EQ(w.segments[1].end_s, 15.0);
  EXPECT_EQ(w.num_frames, 2000);
}

TEST(SplitWindow, WithoutAPairThereIsOneSegment) {
  const SplitWindow w = split({kTime + 5, 1, 2, kTime + 150}, 300, 1000);
  ASSERT_EQ(w.segments.size(), 1U);
  EXPECT_DOUBLE_EQ(w.segments[0].start_s, 3.0);  // the window's begin, as in the reference
  EXPECT_DOUBLE_EQ(w.segments[0].end_s, 6.0);
  EXPECT_EQ(w.num_frames, 1000);
}

TEST(SplitWindow, WithoutAnyUsableTimestampItLastsAsLongAsTheWindow) {
  EXPECT_DOUBLE_EQ(split({1, 2}, 0, 700).segments[0].end_s, 7.0);
  EXPECT_DOUBLE_EQ(split({kTime, 1, 2}, 0, 700).segments[0].end_s, 7.0);
}

TEST(SplitWindow, OfNothingIsAnEmptySegment) {
  const SplitWindow w = split({}, 0, 700);
  ASSERT_EQ(w.segments.size(), 1U);
  EXPECT_THAT(w.segments[0].tokens, IsEmpty());
  EXPECT_EQ(w.num_frames, 700);
}

TEST(SplitWindow, TextBeforeTheFirstTimestampCountsFromTheWindow) {
  const SplitWindow w = split({1, 2, kTime + 50, kTime + 60, 3}, 100);
  ASSERT_EQ(w.segments.size(), 1U);
  EXPECT_DOUBLE_EQ(w.segments[0].start_s, 1.0);
  EXPECT_DOUBLE_EQ(w.segments[0].end_s, 2.0);
}

}  // namespace
}  // namespace steno::transcribe
