// What becomes of windows, on a model that says what the test wrote for it and one lane, so that
// all happens in a known order.
#include "transcribe/parallel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

#include "base/error.h"
#include "ops/make_ops.h"
#include "scripted_model.h"

namespace steno::transcribe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr std::int64_t kSecond = audio::kSampleRate;

// A window from its first speech to its last.
AudioWindow window_of(const std::vector<std::pair<int, int>>& speech_s) {
  AudioWindow window;
  for (const auto& [begin, end] : speech_s) {
    window.window.speech.push_back({begin * kSecond, end * kSecond});
  }
  window.window.begin_samples = window.window.speech.front().begin_samples;
  window.window.end_samples = window.window.speech.back().end_samples;
  window.pcm.resize(
      static_cast<std::size_t>(window.window.end_samples - window.window.begin_samples));
  return window;
}

// Speech with pauses in it, as without noise.
AudioWindow clean(AudioWindow window) {
  for (std::size_t i = 0; i < window.pcm.size(); ++i) window.pcm[i] = i / 800 % 2 == 0 ? 0.1F : 0;
  return window;
}

int at(int seconds) {
  return kTime + seconds * 50;
}

class Parallel : public ::testing::Test {
 protected:
  ParallelResult run(std::deque<AudioWindow> windows, const Options& options = greedy()) {
    engine::Job job = engine_.open_job(engine::Priority::kBatch);
    const auto next = [&]() -> std::optional<AudioWindow> {
      if (windows.empty()) return std::nullopt;
      AudioWindow window = std::move(windows.front());
      windows.pop_front();
      return window;
    };
    return transcribe_parallel(model_, job, next, options, 4, {});
  }
  static Options greedy() {
    Options options;
    options.language = "en";
    options.beam_size = 1;
    return options;
  }
  static std::vector<std::unique_ptr<ops::Ops>> one_lane() {
    std::vector<std::unique_ptr<ops::Ops>> ops;
    ops.push_back(ops::make_cpu_ops(1));
    return ops;
  }

  Script script_;
  ScriptedModel model_{script_};
  std::vector<std::unique_ptr<ops::Ops>> lane_ops_ = one_lane();
  engine::Engine engine_{model_, lane_ops_, nullptr, {}};
};

std::vector<std::string> texts(const ParallelResult& result) {
  std::vector<std::string> all;
  for (const Segment& segment : result.segments) all.push_back(segment.text);
  return all;
}

TEST_F(Parallel, NoWindowsAreNoText) {
  EXPECT_THAT(run({}).segments, IsEmpty());
  EXPECT_EQ(script_.num_encoded, 0);
}

TEST_F(Parallel, TimesCountFromTheBeginOfTheAudio) {
  script_.texts = {good({at(0), 1, at(4)}), good({at(0), 2, at(3), at(3), 3, at(5)})};
  const ParallelResult result = run({window_of({{10, 14}}), window_of({{40, 45}})});
  ASSERT_THAT(texts(result), ElementsAre(" w1", " w2", " w3"));
  EXPECT_DOUBLE_EQ(result.segments[0].start_s, 10);
  EXPECT_DOUBLE_EQ(result.segments[0].end_s, 14);
  EXPECT_DOUBLE_EQ(result.segments[2].start_s, 43);
  EXPECT_EQ(result.segments[2].id, 2);
  EXPECT_EQ(result.segments[2].seek, 4000);
  EXPECT_THAT(result.missing, IsEmpty());
}

TEST_F(Parallel, NoTimeIsBehindItsWindow) {
  script_.texts = {good({at(0), 1, at(2), at(7), 2, at(9)}), good({at(0), 3, at(5)})};
  const ParallelResult result = run({window_of({{10, 14}}), window_of({{15, 20}})});
  ASSERT_THAT(texts(result), ElementsAre(" w1", " w2", " w3"));
  EXPECT_DOUBLE_EQ(result.segments[1].start_s, 14);
  EXPECT_DOUBLE_EQ(result.segments[1].end_s, 14);
  EXPECT_DOUBLE_EQ(result.segments[2].start_s, 15);
}

TEST_F(Parallel, WordsCountFromTheBeginOfTheAudioToo) {
  Options options = greedy();
  options.word_timestamps = true;
  script_.texts = {good({at(0), 1, 2, at(4)}), good({at(0), 3, at(5)})};
  script_.positions = {{10, 30, 60}, {200, 240}};
  const ParallelResult result = run({window_of({{10, 14}}), window_of({{40, 45}})}, options);
  ASSERT_THAT(texts(result), ElementsAre(" w1 w2", " w3"));
  ASSERT_EQ(result.segments[0].words.size(), 2U);
  EXPECT_EQ(result.segments[0].words[1].text, " w2");
  EXPECT_DOUBLE_EQ(result.segments[0].words[1].start_s, 10.6);
  EXPECT_DOUBLE_EQ(result.segments[0].start_s, 10.2);
  EXPECT_DOUBLE_EQ(result.segments[0].end_s, 11.2);
  EXPECT_DOUBLE_EQ(result.segments[1].words[0].start_s, 44.0);
  ASSERT_EQ(script_.aligned.size(), 2U);
  EXPECT_EQ(script_.aligned[0].num_frames, 400);
}

TEST_F(Parallel, SpeechBehindTheTextIsReadAgainWithTheTextAsPrompt) {
  script_.texts = {good({at(0), 1, at(6)}), good({at(0), 2, at(14)})};
  const ParallelResult result = run({window_of({{0, 6}, {8, 20}})});
  ASSERT_THAT(texts(result), ElementsAre(" w1", " w2"));
  EXPECT_DOUBLE_EQ(result.segments[1].start_s, 7.9) << "not in the pause";
  EXPECT_DOUBLE_EQ(result.segments[1].end_s, 20);
  ASSERT_EQ(script_.started.size(), 2U);
  EXPECT_THAT(script_.started[0].prompt_tokens, IsEmpty());
  EXPECT_THAT(script_.started[1].prompt_tokens, ElementsAre(at(0), 1, at(6)));
}

// A short rest that says again what its prompt said.
TEST_F(Parallel, ARestWithMoreTextThanItsTimeAllowsIsNoText) {
  std::vector<int> again = {at(0)};
  for (int word = 10; word < 70; ++word) again.push_back(word);
  again.push_back(at(1));
  script_.texts = {good({at(0), 1, at(6)})};
  script_.with_prompt = good(again);
  const ParallelResult result = run({window_of({{0, 6}, {8, 9}})});
  EXPECT_THAT(texts(result), ElementsAre(" w1"));
  ASSERT_EQ(result.missing.size(), 1U);
  EXPECT_DOUBLE_EQ(result.missing[0].begin_s, 6);
  EXPECT_EQ(result.missing[0].reason, "no_text");
}

TEST_F(Parallel, TextThatTheWindowCutOffIsReadAgain) {
  script_.texts = {good({at(0), 1, at(6), at(6), 2, 3}), good({at(0), 2, 3, 4, at(1)})};
  EXPECT_THAT(texts(run({window_of({{0, 7}})})), ElementsAre(" w1", " w2 w3 w4"));
}

TEST_F(Parallel, AnEarlyLastTimestampIsNoReasonToReadAgain) {
  script_.texts = {good({at(0), 1, at(9) + 10})};
  run({window_of({{0, 10}})});
  EXPECT_EQ(script_.num_encoded, 1) << "0.8 s of speech, of which 0.2 are the timestamp's";
}

TEST_F(Parallel, AWindowThatGetsNowhereIsToldAsMissing) {
  script_.texts = {good({at(0), at(0)})};
  const ParallelResult result = run({window_of({{5, 15}})});
  EXPECT_THAT(result.segments, IsEmpty());
  ASSERT_EQ(result.missing.size(), 1U);
  EXPECT_DOUBLE_EQ(result.missing[0].begin_s, 5);
  EXPECT_DOUBLE_EQ(result.missing[0].end_s, 15);
  EXPECT_EQ(result.missing[0].reason, "no_text");
}

TEST_F(Parallel, ReadingAgainEnds) {
  for (int i = 0; i < 100; ++i) script_.texts.push_back(good({at(0), 1, kTime + 5}));
  const ParallelResult result = run({window_of({{0, 29}})});
  EXPECT_EQ(result.segments.size(), 9U);
  EXPECT_EQ(result.missing.size(), 1U);
}

TEST_F(Parallel, TextThatRepeatsItselfIsTriedHotter) {
  models::WindowText loop = good({at(0), 1, 1, 1, at(4)});
  loop.compression_ratio = 9;
  script_.texts = {loop, good({at(0), 2, at(4)})};
  Options options = greedy();
  options.window_padding_s = 30;
  const ParallelResult result = run({window_of({{0, 4}})}, options);
  ASSERT_THAT(texts(result), ElementsAre(" w2"));
  EXPECT_DOUBLE_EQ(result.segments[0].temperature, 0.2);
  EXPECT_THAT(result.segments[0].flags, IsEmpty());
  EXPECT_EQ(script_.num_encoded, 1) << "a retry does not encode again";
}

TEST_F(Parallel, TextThatRepeatsItselfForWantOfPaddingIsReadInFull) {
  models::WindowText loop = good({at(0), 1, 1, 1, at(4)});
  loop.compression_ratio = 9;
  script_.texts = {loop, good({at(0), 2, at(4)})};
  const ParallelResult result = run({window_of({{0, 4}})});
  ASSERT_THAT(texts(result), ElementsAre(" w2"));
  EXPECT_DOUBLE_EQ(result.segments[0].temperature, 0);
  EXPECT_THAT(script_.num_frames, ElementsAre(800, 3000)) << "at least 8 s";
}

TEST_F(Parallel, OfFailuresTheBestIsTakenAndFlagged) {
  Options options = greedy();
  options.window_padding_s = 30;
  options.temperatures = {0, 0.5, 1};
  std::vector<models::WindowText> failures(3, good({at(0), 1, at(4)}));
  const double likely[] = {-1.4, -1.1, -1.9};
  for (int i = 0; i < 3; ++i) {
    failures[static_cast<std::size_t>(i)].avg_logprob = likely[i];
    failures[static_cast<std::size_t>(i)].tokens[1] = i + 1;
  }
  script_.texts.assign(failures.begin(), failures.end());
  const ParallelResult result = run({window_of({{0, 4}})}, options);
  ASSERT_THAT(texts(result), ElementsAre(" w2"));
  EXPECT_THAT(result.segments[0].flags, ElementsAre("low_confidence"));
}

TEST_F(Parallel, ALoopKeepsWhatCouldHaveBeenSaid) {
  std::vector<int> tokens = {at(0), 8};
  for (int i = 0; i < 60; ++i) tokens.insert(tokens.end(), {1, 2, 3});
  tokens.push_back(at(1));
  script_.texts = {good(tokens)};
  const ParallelResult result = run({window_of({{0, 1}})});
  ASSERT_THAT(texts(result), ElementsAre(" w8 w1 w2 w3 w1 w2 w3 w1 w2 w3 w1 w2 w3"));
  EXPECT_THAT(result.segments[0].flags, ElementsAre("repetition"));
}

TEST_F(Parallel, ARealRefrainStays) {
  script_.texts = {good({at(0), 1, 1, 1, 1, 1, 1, at(4)})};
  const ParallelResult result = run({window_of({{0, 4}})});
  EXPECT_THAT(texts(result), ElementsAre(" w1 w1 w1 w1 w1 w1"));
  EXPECT_THAT(result.segments[0].flags, IsEmpty());
}

TEST_F(Parallel, SilenceByTheModelsWordIsNoText) {
  models::WindowText you = good({at(0), 1, at(2)});
  you.no_speech_prob = 0.8;
  you.avg_logprob = -1.3;
  script_.texts = {you};
  EXPECT_THAT(run({window_of({{0, 4}})}).segments, IsEmpty());
  EXPECT_EQ(script_.started.size(), 1U) << "no retry on silence";
}

TEST_F(Parallel, AHotwordOnSilenceIsDropped) {
  Options options = greedy();
  options.hotwords = "w7 w8";
  script_.texts = {good({at(0), 7, at(2)}), good({at(0), at(1)})};
  const ParallelResult result = run({window_of({{0, 4}})}, options);
  EXPECT_THAT(result.segments, IsEmpty());
  ASSERT_EQ(result.missing.size(), 1U);
  EXPECT_EQ(result.missing[0].reason, "hotword");
  ASSERT_EQ(script_.started.size(), 2U);
  EXPECT_EQ(script_.started[0].prompt_tokens.size(), 6U);  // " w7 w8"
  EXPECT_THAT(script_.started[1].prompt_tokens, IsEmpty());
}

TEST_F(Parallel, AHotwordThatIsHeardStays) {
  Options options = greedy();
  options.hotwords = "w7 w8";
  script_.texts = {good({at(0), 7, at(4)}), good({at(0), 5, at(4)})};
  EXPECT_THAT(texts(run({window_of({{0, 4}})}, options)), ElementsAre(" w7"))
      << "as the hotword spells it";
}

TEST_F(Parallel, WhereTheLanguageChangesWindowsAreReadInParts) {
  Options options = greedy();
  options.language = "";
  script_.languages = {{{"en", 0.9}}, {{"es", 0.9}}, {{"en", 0.9}},
                       {{"es", 0.9}}, {{"es", 0.9}}, {{"es", 0.8}}};
  for (int i = 0; i < 6; ++i) script_.texts.push_back(good({at(0), 1, at(5)}));
  const ParallelResult result =
      run({window_of({{0, 5}, {6, 11}}), window_of({{20, 25}, {26, 31}})}, options);
  std::vector<std::pair<double, std::string>> languages;
  for (const Segment& segment : result.segments) {
    languages.emplace_back(segment.start_s, segment.language);
  }
  ASSERT_GE(languages.size(), 3U);
  EXPECT_EQ(languages.front().second, "en");
  for (const auto& [start_s, language] : languages) {
    EXPECT_EQ(language, start_s < 5.5 ? "en" : "es") << start_s;
  }
}

TEST_F(Parallel, AnUnsureShortWindowTakesTheLanguageBefore) {
  Options options = greedy();
  options.language = "";
  script_.languages = {{{"fr", 0.99}}, {{"nn", 0.3}, {"fr", 0.2}}};
  script_.texts = {good({at(0), 1, at(3)}), good({at(0), 2, at(3)})};
  const ParallelResult result = run({window_of({{0, 3}}), window_of({{10, 13}})}, options);
  ASSERT_EQ(result.segments.size(), 2U);
  EXPECT_EQ(result.segments[1].language, "fr");
  EXPECT_EQ(result.language, "fr");
}

TEST_F(Parallel, WhatIsHardToHearIsReadAgainWithTheWordsBefore) {
  models::WindowText unclear = good({at(0), 2, at(3)});
  unclear.avg_logprob = -0.4;
  models::WindowText clearer = good({at(0), 3, at(3)});
  clearer.avg_logprob = -0.25;
  script_.texts = {good({at(0), 1, at(3)}), unclear, clearer};
  EXPECT_THAT(texts(run({window_of({{0, 3}}), window_of({{10, 13}})})), ElementsAre(" w1", " w3"));
  ASSERT_EQ(script_.started.size(), 3U);
  EXPECT_THAT(script_.started[1].prompt_tokens, IsEmpty());
  EXPECT_THAT(script_.started[2].prompt_tokens, ElementsAre(at(0), 1, at(3)));
  EXPECT_EQ(script_.num_encoded, 2);
}

TEST_F(Parallel, TheWordsBeforeAreNotUsedWhereTheyDoNotHelp) {
  models::WindowText unclear = good({at(0), 2, at(3)});
  unclear.avg_logprob = -0.4;
  models::WindowText worse = good({at(0), 3, at(3)});
  worse.avg_logprob = -0.6;
  script_.texts = {good({at(0), 1, at(3)}), unclear, worse};
  EXPECT_THAT(texts(run({window_of({{0, 3}}), window_of({{10, 13}})})), ElementsAre(" w1", " w2"));
}

TEST_F(Parallel, WithoutNoiseTheWordsBeforeAreNotAskedFor) {
  models::WindowText unclear = good({at(0), 2, at(3)});
  unclear.avg_logprob = -0.4;
  script_.texts = {good({at(0), 1, at(3)}), unclear};
  run({clean(window_of({{0, 3}})), clean(window_of({{10, 13}}))});
  EXPECT_EQ(script_.started.size(), 2U);
}

// So that a window waits for one reading of those before it, not for a chain of second ones.
TEST_F(Parallel, TheWordsBeforeAreThoseOfTheFirstReadings) {
  models::WindowText unclear = good({at(0), 2, at(3)});
  unclear.avg_logprob = -0.4;
  script_.texts = {unclear, unclear, unclear};
  script_.with_prompt = good({at(0), 3, at(3)});
  EXPECT_THAT(texts(run({window_of({{0, 3}}), window_of({{10, 13}}), window_of({{20, 23}})})),
              ElementsAre(" w2", " w3", " w3"));
  std::vector<std::vector<int>> prompts;
  for (const models::DecodeOptions& options : script_.started) {
    if (!options.prompt_tokens.empty()) prompts.push_back(options.prompt_tokens);
  }
  EXPECT_THAT(prompts, UnorderedElementsAre(ElementsAre(at(0), 2, at(3)),
                                            ElementsAre(at(0), 2, at(3), at(0), 2, at(3))));
}

TEST_F(Parallel, TextThatLooksWrongIsNoContext) {
  models::WindowText wrong = good({at(0), 1, at(3)});
  wrong.compression_ratio = 9;
  models::WindowText unclear = good({at(0), 3, at(3)});
  unclear.avg_logprob = -0.4;
  script_.texts = {wrong, unclear, good({at(0), 4, at(3)})};
  run({window_of({{0, 3}}), window_of({{10, 13}})});
  for (const models::DecodeOptions& options : script_.started) {
    EXPECT_THAT(options.prompt_tokens, IsEmpty());
  }
}

TEST_F(Parallel, WithoutConditioningEachWindowIsReadOnce) {
  Options options = greedy();
  options.condition_on_previous_text = false;
  models::WindowText unclear = good({at(0), 2, at(3)});
  unclear.avg_logprob = -0.4;
  script_.texts = {good({at(0), 1, at(3)}), unclear};
  run({window_of({{0, 3}}), window_of({{10, 13}})}, options);
  EXPECT_EQ(script_.started.size(), 2U);
}

TEST_F(Parallel, WhatTheReaderThrowsIsThrown) {
  engine::Job job = engine_.open_job(engine::Priority::kBatch);
  bool is_first = true;
  const auto next = [&]() -> std::optional<AudioWindow> {
    if (!std::exchange(is_first, false)) throw Error(ErrorCode::kInvalidAudio, "cut off");
    return window_of({{0, 3}});
  };
  EXPECT_THROW(transcribe_parallel(model_, job, next, greedy(), 4, {}), Error);
}

}  // namespace
}  // namespace steno::transcribe
