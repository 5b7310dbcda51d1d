#include "audio/timeline.h"

#include <gtest/gtest.h>

namespace steno::audio {
namespace {

TEST(Timeline, FramesInARowHaveNoGap) {
  Timeline timeline(0.0);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(timeline.gap_before(i * 0.02, false), 0);
    timeline.advance(320);
  }
}

TEST(Timeline, JitterIsNotAGapButALossIsExact) {
  Timeline timeline(0.0);
  timeline.gap_before(0.0, false);
  timeline.advance(16000);
  EXPECT_EQ(timeline.gap_before(1.06, false), 0);
  EXPECT_EQ(timeline.gap_before(1.06, true), 960);
}

TEST(Timeline, SmallLossesAddUpToAGap) {
  Timeline timeline(0.0);
  timeline.gap_before(0.0, false);
  std::int64_t filled = 0;
  for (int i = 0; i < 100; ++i) {  // half of the 20 ms frames are missing
    filled += timeline.gap_before(i * 0.04, false);
    timeline.advance(320);
    if (filled > 0) break;
  }
  EXPECT_EQ(filled, 1600);  // at the first lag of 100 ms
}

TEST(Timeline, FirstFrameStartsWhereTheContainerSays) {
  Timeline late(0.0);
  EXPECT_EQ(late.gap_before(1.5, false), 24000);
  EXPECT_EQ(late.gap_sum_s(), 0);  // a late start is no loss
  Timeline codec_delay(-0.007);
  EXPECT_EQ(codec_delay.gap_before(0.0, false), 0);
  codec_delay.advance(16000);
  EXPECT_EQ(codec_delay.gap_before(1.02, true), 320);
  Timeline unknown(std::nullopt);
  EXPECT_EQ(unknown.gap_before(500.0, false), 0);
}

TEST(Timeline, ClocksThatWereSetAreNotFollowed) {
  Timeline timeline(0.0);
  timeline.gap_before(0.0, false);
  timeline.advance(16000);
  EXPECT_EQ(timeline.gap_before(100000.0, false), 0);
  EXPECT_EQ(timeline.num_jumps(), 1);
  timeline.advance(16000);
  EXPECT_EQ(timeline.gap_before(0.0, false), 0);  // back again
  timeline.advance(16000);
  EXPECT_EQ(timeline.gap_before(1.5, false), 8000);  // and goes on from there
}

TEST(Timeline, AHostileClockCannotMakeDaysOfSilence) {
  Timeline timeline(0.0);
  double pts_s = 0;
  double filled_s = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto gap = timeline.gap_before(pts_s, false);
    filled_s += static_cast<double>(gap) / 16000;
    timeline.advance(static_cast<double>(gap));
    pts_s += 599;
  }
  EXPECT_LE(filled_s, Timeline::kMaxGapSum_s);
}

TEST(Timeline, TimeThatTheClockDidNotCountIsAddedToIt) {
  Timeline timeline(0.0);
  timeline.gap_before(0.0, false);
  timeline.advance(16000);
  timeline.lose(0.5);
  EXPECT_EQ(timeline.gap_before(1.0, true), 8000);
}

TEST(Timeline, WithoutAStampNothingHappens) {
  Timeline timeline(0.0);
  EXPECT_EQ(timeline.gap_before(std::nullopt, true), 0);
}

}  // namespace
}  // namespace steno::audio
