// Where windows are cut, in tables of spans.
#include "transcribe/windows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace steno::transcribe {
namespace {

constexpr std::int64_t kSecond = audio::kSampleRate;

vad::SpeechSpan span_of(double begin_s, double end_s) {
  return {static_cast<std::int64_t>(begin_s * kSecond), static_cast<std::int64_t>(end_s * kSecond)};
}

std::vector<SpeechWindow> plan(const std::vector<vad::SpeechSpan>& spans, double total_s,
                               const WindowRules& rules = {}) {
  WindowPlanner planner(rules);
  std::vector<SpeechWindow> windows = planner.push(spans);
  for (SpeechWindow& window : planner.break_at(static_cast<std::int64_t>(total_s * kSecond))) {
    windows.push_back(std::move(window));
  }
  return windows;
}

double begin_s(const SpeechWindow& window) {
  return static_cast<double>(window.begin_samples) / kSecond;
}
double end_s(const SpeechWindow& window) {
  return static_cast<double>(window.end_samples) / kSecond;
}

TEST(Windows, NoSpeechIsNoWindow) {
  EXPECT_TRUE(plan({}, 60).empty());
}

TEST(Windows, AShortClipIsOneWindowWithItsEdges) {
  const auto windows = plan({span_of(0.5, 2)}, 2.2);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_DOUBLE_EQ(begin_s(windows[0]), 0) << "not before the audio";
  EXPECT_DOUBLE_EQ(end_s(windows[0]), 2.2) << "not behind it";
}

TEST(Windows, EdgesAreASecondBeforeAndAHalfBehind) {
  const auto windows = plan({span_of(10, 12)}, 60);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_DOUBLE_EQ(begin_s(windows[0]), 9);
  EXPECT_DOUBLE_EQ(end_s(windows[0]), 12.5);
}

TEST(Windows, PausesInsideStayInside) {
  const auto windows = plan({span_of(1, 3), span_of(5, 7), span_of(9, 11)}, 12);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].speech.size(), 3U);
}

TEST(Windows, ALongPauseEndsAWindow) {
  const auto windows = plan({span_of(1, 3), span_of(8, 9)}, 12);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_DOUBLE_EQ(end_s(windows[0]), 3.5);
  EXPECT_DOUBLE_EQ(begin_s(windows[1]), 7);
}

TEST(Windows, ALongPauseEndsAWindowBeforeTheSpeechBehindIt) {
  WindowPlanner planner({});
  planner.push({span_of(1, 3)});
  EXPECT_TRUE(planner.advance(7 * kSecond).empty()) << "a span may begin at 7 s";
  const auto windows = planner.advance(7 * kSecond + 1);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_DOUBLE_EQ(end_s(windows[0]), 3.5);
  EXPECT_EQ(planner.first_needed_sample(7200 * kSecond), 7199 * kSecond)
      << "the audio of hours of silence is not kept";
}

TEST(Windows, AudioIsNeededFromTheFirstSpeechThatNoWindowHas) {
  WindowPlanner planner({});
  EXPECT_EQ(planner.first_needed_sample(kSecond / 2), 0);
  EXPECT_EQ(planner.first_needed_sample(10 * kSecond), 9 * kSecond);
  planner.push({span_of(12, 13)});
  EXPECT_EQ(planner.first_needed_sample(15 * kSecond), 11 * kSecond);
  planner.break_at(14 * kSecond);
  EXPECT_EQ(planner.first_needed_sample(14 * kSecond), 14 * kSecond);
}

TEST(Windows, ACutIsMadeAtTheLongestPauseOfTheSecondHalf) {
  const auto windows = plan(
      {span_of(1, 10), span_of(12, 18), span_of(18.3, 22), span_of(23, 27), span_of(27.4, 33)}, 34);
  ASSERT_EQ(windows.size(), 2U);
  // 1.0 s at 22 is longer than 0.3 at 18 and 0.4 at 27; 2 s at 10 lie in the first half.
  EXPECT_DOUBLE_EQ(end_s(windows[0]), 22.5);
  EXPECT_DOUBLE_EQ(begin_s(windows[1]), 22.5) << "the rest of the pause";
  EXPECT_EQ(windows[1].speech.size(), 2U);
}

TEST(Windows, AFullWindowHasTheEdgesThatAreLeft) {
  const auto windows = plan({span_of(5, 34.6)}, 60);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_DOUBLE_EQ(end_s(windows[0]), 34.8);
  EXPECT_DOUBLE_EQ(begin_s(windows[0]), 4.8);
}

TEST(Windows, NoWindowReachesOverTheEndOfAClip) {
  WindowPlanner planner({});
  planner.set_begin(10 * kSecond);
  planner.push({span_of(10, 12)});
  const auto windows = planner.break_at(12 * kSecond);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_DOUBLE_EQ(begin_s(windows[0]), 10);
  EXPECT_DOUBLE_EQ(end_s(windows[0]), 12);
  EXPECT_TRUE(planner.break_at(20 * kSecond).empty());
}

TEST(Windows, AClipMayBeginWhereTheLastOneEnds) {
  WindowPlanner planner({});
  for (const double begin : {10.0, 10.25, 10.5}) {
    planner.set_begin(static_cast<std::int64_t>(begin * kSecond));
    planner.push({span_of(begin, begin + 0.25)});
    const auto windows = planner.break_at(static_cast<std::int64_t>((begin + 0.25) * kSecond));
    ASSERT_EQ(windows.size(), 1U);
    EXPECT_DOUBLE_EQ(begin_s(windows[0]), begin);
    EXPECT_DOUBLE_EQ(end_s(windows[0]), begin + 0.25);
  }
}

// Whatever is said when: windows follow each other, none is too long, and each span is in one.
TEST(Windows, EverySpanIsInExactlyOneWindow) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> pause_s(0.1, 6);
  std::uniform_real_distribution<double> speech_length_s(0.25, 29.5);
  for (int round = 0; round < 50; ++round) {
    std::vector<vad::SpeechSpan> spans;
    double now_s = 0;
    for (int i = 0; i < 40; ++i) {
      const double begin = now_s + (random() % 2 == 0 ? 0.1 : pause_s(random));
      now_s = begin + (random() % 3 == 0 ? speech_length_s(random) : 1.0);
      spans.push_back(span_of(begin, now_s));
    }
    const std::vector<SpeechWindow> windows = plan(spans, now_s + 0.05);
    std::vector<vad::SpeechSpan> covered;
    std::int64_t last_end = 0;
    for (const SpeechWindow& window : windows) {
      EXPECT_GE(window.begin_samples, last_end);
      EXPECT_LE(window.end_samples - window.begin_samples, WindowRules{}.max_samples);
      EXPECT_LE(window.begin_samples, window.speech.front().begin_samples);
      EXPECT_GE(window.end_samples, window.speech.back().end_samples);
      covered.insert(covered.end(), window.speech.begin(), window.speech.end());
      last_end = window.end_samples;
    }
    EXPECT_EQ(covered, spans);
  }
}

TEST(Windows, SpeechIsCountedInsideTheRangeOnly) {
  const std::vector<vad::SpeechSpan> spans = {span_of(1, 3), span_of(5, 6)};
  EXPECT_DOUBLE_EQ(speech_s(spans, 2 * kSecond, 10 * kSecond), 2);
  EXPECT_DOUBLE_EQ(speech_s(spans, 0, kSecond), 0);
}

}  // namespace
}  // namespace steno::transcribe
