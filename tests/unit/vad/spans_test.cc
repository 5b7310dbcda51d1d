// Spans against silero-vad's Python, and the tracker against the whole.
#include "vad/spans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

#include "unit/vad/golden_probabilities.h"

namespace steno::vad {
namespace {

using nlohmann::json;

SpanOptions options_of(const json& values) {
  SpanOptions options;
  options.threshold = values.value("threshold", options.threshold);
  if (values.contains("neg_threshold")) options.neg_threshold = values["neg_threshold"];
  options.min_speech_ms = values.value("min_speech_ms", options.min_speech_ms);
  options.min_silence_ms = values.value("min_silence_ms", options.min_silence_ms);
  options.speech_pad_ms = values.value("speech_pad_ms", options.speech_pad_ms);
  options.max_speech_s = values.value("max_speech_s", options.max_speech_s);
  options.min_pause_ms = values.value("min_pause_ms", options.min_pause_ms);
  return options;
}

json to_json(const std::vector<SpeechSpan>& spans) {
  json list = json::array();
  for (const SpeechSpan& span : spans) list.push_back({span.begin_samples, span.end_samples});
  return list;
}

class GoldenSpans : public testing::Test {
 protected:
  const json cases_ = golden::load_json(golden::folder() / "vad" / "spans.json")["cases"];
};

TEST_F(GoldenSpans, AreThoseOfThePythonReference) {
  ASSERT_GE(cases_.size(), 100U);
  for (const json& c : cases_) {
    const auto spans = find_speech(golden_probabilities(c["probabilities"]), c["num_samples"],
                                   options_of(c["options"]));
    EXPECT_EQ(to_json(spans), c["spans"]) << c["probabilities"] << " " << c["options"];
  }
}

TEST_F(GoldenSpans, ComeOneByOneAsTheyComeAtOnce) {
  for (const json& c : cases_) {
    const std::vector<float> probabilities = golden_probabilities(c["probabilities"]);
    SpanTracker tracker(options_of(c["options"]));
    std::vector<SpeechSpan> spans;
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
      for (const SpeechSpan& span : tracker.push(std::span(probabilities).subspan(i, 1))) {
        // What was heard so far reaches over the span: its end is no guess.
        EXPECT_LE(span.end_samples, static_cast<std::int64_t>(i) * kChunkSamples);
        spans.push_back(span);
      }
    }
    for (const SpeechSpan& span : tracker.finish(c["num_samples"])) spans.push_back(span);
    EXPECT_EQ(to_json(spans), c["spans"]) << c["probabilities"] << " " << c["options"];
  }
}

// Speech in chunks [10, 30): 0.32 s to 0.96 s.
std::vector<float> one_utterance(std::size_t num_chunks) {
  std::vector<float> probabilities(num_chunks, 0.0F);
  std::fill(probabilities.begin() + 10, probabilities.begin() + 30, 1.0F);
  return probabilities;
}

TEST(SpanTracker, YieldsASpanWhenItsPauseIsLongEnough) {
  SpanTracker tracker({});
  std::size_t num_chunks = 0;
  std::vector<SpeechSpan> spans;
  const std::vector<float> probabilities = one_utterance(100);
  while (spans.empty() && num_chunks < probabilities.size()) {
    spans = tracker.push(std::span(probabilities).subspan(num_chunks++, 1));
  }
  EXPECT_EQ(spans, (std::vector<SpeechSpan>{{10 * 512 - 480, 30 * 512 + 480}}));
  // 100 ms are more than 3 chunks: the fourth after the first silent one ends the span.
  EXPECT_EQ(num_chunks, 30U + 5U);
}

TEST(SpanTracker, NoSpanBeginsBeforeWhatIsUncertain) {
  std::mt19937 random(1);
  for (const double speech_s : {0.3, 3.0, 300.0}) {  // without a pause, on average
    std::bernoulli_distribution pauses(0.032 / speech_s);
    std::uniform_int_distribution<int> pause_chunks(1, 8);
    SpanTracker tracker({.max_speech_s = 29.5});
    std::int64_t uncertain = 0;
    std::size_t num_spans = 0;
    int silent_chunks = 0;
    for (int i = 0; i < 20'000; ++i) {
      if (silent_chunks == 0 && pauses(random)) silent_chunks = pause_chunks(random);
      const float probability = silent_chunks > 0 ? 0.0F : 1.0F;
      silent_chunks = std::max(0, silent_chunks - 1);
      for (const SpeechSpan& span : tracker.push(std::span(&probability, 1))) {
        ASSERT_GE(span.begin_samples, uncertain);
        ++num_spans;
      }
      ASSERT_GE(tracker.first_uncertain_sample(), uncertain);
      uncertain = tracker.first_uncertain_sample();
    }
    EXPECT_GT(num_spans, 15U);
    EXPECT_GT(uncertain, (20'000 - 2000) * 512);
  }
}

TEST(FindSpeech, NothingInNothing) {
  EXPECT_TRUE(find_speech({}, 0, {}).empty());
}

TEST(FindSpeech, StaysInsideTheRecording) {
  const std::vector<float> loud(4, 1.0F);
  EXPECT_EQ(find_speech(loud, 3 * 512 + 1, {.min_speech_ms = 0}),
            (std::vector<SpeechSpan>{{0, 3 * 512 + 1}}));
}

TEST(FindSpeech, RefusesWhatIsNotOneProbabilityAChunk) {
  const std::vector<float> loud(4, 1.0F);
  EXPECT_ANY_THROW(find_speech(loud, 3 * 512, {}));
  EXPECT_ANY_THROW(find_speech(loud, 4 * 512 + 1, {}));
  EXPECT_ANY_THROW(SpanTracker({.speech_pad_ms = -1}));
}

}  // namespace
}  // namespace steno::vad
