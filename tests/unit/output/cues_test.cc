#include "output/cues.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/utf8.h"

namespace steno::output {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

transcribe::Segment segment(double start_s, double end_s, std::string text) {
  transcribe::Segment out;
  out.start_s = start_s;
  out.end_s = end_s;
  out.text = std::move(text);
  return out;
}

TEST(ToMs, RoundsHalfToEvenAsPythonDoes) {
  EXPECT_EQ(to_ms(0.0005), 0);  // 0.5
  EXPECT_EQ(to_ms(0.0015), 2);  // 1.5
  EXPECT_EQ(to_ms(0.0025), 2);  // 2.5
  EXPECT_EQ(to_ms(59.9996), 60'000);
  EXPECT_EQ(to_ms(3599.9999), 3'600'000);
  EXPECT_EQ(to_ms(12.340000000000002), 12'340);
}

TEST(ToMs, IsANumberForAnyDouble) {
  EXPECT_EQ(to_ms(-1), 0);
  EXPECT_EQ(to_ms(-0.0), 0);
  EXPECT_EQ(to_ms(kNaN), 0);
  EXPECT_EQ(to_ms(-kInfinity), 0);
  EXPECT_EQ(to_ms(kInfinity), std::int64_t{99'999} * 3'600'000);
  EXPECT_EQ(to_ms(1e300), std::int64_t{99'999} * 3'600'000);
}

TEST(Times, SrtAlwaysHasHours) {
  EXPECT_EQ(srt_time(0), "00:00:00,000");
  EXPECT_EQ(srt_time(to_ms(59.9994)), "00:00:59,999");
  EXPECT_EQ(srt_time(to_ms(59.9996)), "00:01:00,000");
  EXPECT_EQ(srt_time(to_ms(3599.9999)), "01:00:00,000");
  EXPECT_EQ(srt_time(to_ms(100 * 3600 + 61.5)), "100:01:01,500");
}

TEST(Times, VttHasHoursFromOneHourOn) {
  EXPECT_EQ(vtt_time(0), "00:00.000");
  EXPECT_EQ(vtt_time(to_ms(59.9996)), "01:00.000");
  EXPECT_EQ(vtt_time(to_ms(3599.9994)), "59:59.999");
  EXPECT_EQ(vtt_time(to_ms(3599.9999)), "01:00:00.000");
  EXPECT_EQ(vtt_time(to_ms(123 * 3600)), "123:00:00.000");
}

TEST(OneLine, KeepsTheTextAndDropsTheBreaks) {
  EXPECT_EQ(one_line(" a\nb\r\nc\n\n\nd\re \n"), "a b c d e");
  EXPECT_EQ(one_line("\xe3\x80\x80\xe6\x97\xa5\xe6\x9c\xac\xe3\x80\x80"),
            "\xe6\x97\xa5\xe6\x9c\xac");
  EXPECT_EQ(one_line(" \n\t\r\n"), "");
}

TEST(OneLine, IsValidUtf8WhateverComes) {
  EXPECT_EQ(one_line(" \xe6\x97"), "\xef\xbf\xbd");  // the first two bytes of a character
  EXPECT_EQ(one_line("a\xff\n"), "a\xef\xbf\xbd");
  EXPECT_TRUE(utf8::is_valid(one_line("\xf0\x9f\x98\n\x80")));
}

TEST(MakeCues, LeavesOutSegmentsWithoutText) {
  const auto cues = make_cues({segment(0, 1, ""), segment(1, 2, " one"), segment(2, 3, "  \n"),
                               segment(3, 4, "\xe3\x80\x80"), segment(4, 5, " two")});
  ASSERT_EQ(cues.size(), 2u);
  EXPECT_EQ(cues[0].text, "one");
  EXPECT_EQ(cues[0].start_ms, 1'000);
  EXPECT_EQ(cues[1].text, "two");
  EXPECT_EQ(cues[1].end_ms, 5'000);
}

TEST(MakeCues, TimesNeverGoBack) {
  const auto cues = make_cues({segment(5, 4, "ends before it starts"), segment(4, 6, "too early"),
                               segment(5.9996, 6.0004, "shorter than a millisecond"),
                               segment(kNaN, kNaN, "no time"), segment(7, -1, "negative")});
  std::int64_t last_ms = 0;
  for (const Cue& cue : cues) {
    EXPECT_GE(cue.start_ms, last_ms) << cue.text;
    EXPECT_GE(cue.end_ms, cue.start_ms) << cue.text;
    last_ms = cue.end_ms;
  }
  ASSERT_EQ(cues.size(), 5u);
  EXPECT_EQ(cues[0].start_ms, 5'000);
  EXPECT_EQ(cues[0].end_ms, 5'000);
  EXPECT_EQ(cues[1].start_ms, 5'000);
  EXPECT_EQ(cues[1].end_ms, 6'000);
  EXPECT_EQ(cues[4].start_ms, 7'000);
}

}  // namespace
}  // namespace steno::output
