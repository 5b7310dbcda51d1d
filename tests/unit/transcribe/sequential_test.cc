// The seek loop's decisions on a model that says what the test wrote for it.
#include "transcribe/sequential.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "base/error.h"
#include "ops/make_ops.h"
#include "scripted_model.h"

namespace steno::transcribe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

features::MelStore mel_of(std::int64_t num_frames, float value = 0.5F) {
  features::MelStore mel(80);
  mel.append(std::vector<float>(static_cast<std::size_t>(num_frames * 80), value));
  mel.finish(num_frames);
  return mel;
}

class Sequential : public ::testing::Test {
 protected:
  std::vector<Segment> run(const features::MelStore& mel, const Options& options = greedy()) {
    engine::Job job = engine_.open_job(engine::Priority::kBatch);
    return transcribe_sequential(model_, job, mel, options, {});
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

TEST_F(Sequential, TheNextWindowBeginsAtTheLastPair) {
  script_.texts = {good({kTime, 1, kTime + 500, kTime + 500, 2}),
                   good({kTime, 2, kTime + 400, kTime + 400, 3, kTime + 800})};
  const std::vector<Segment> segments = run(mel_of(3000));
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_EQ(segments[1].seek, 1000);
  EXPECT_DOUBLE_EQ(segments[1].start_s, 10.0);
  EXPECT_EQ(segments[2].text, " w3");
  EXPECT_EQ(segments[2].id, 2);
}

TEST_F(Sequential, PreviousTextIsThePromptOfTheNextWindow) {
  script_.texts = {good({kTime, 1, kTime + 1500}), good({kTime, 2, kTime + 1500})};
  run(mel_of(6000));
  ASSERT_EQ(script_.started.size(), 2U);
  EXPECT_THAT(script_.started[0].prompt_tokens, IsEmpty());
  EXPECT_THAT(script_.started[1].prompt_tokens, ElementsAre(kTime, 1, kTime + 1500));
}

TEST_F(Sequential, WithoutConditioningTheInitialPromptServesOnce) {
  Options options = greedy();
  options.condition_on_previous_text = false;
  options.initial_prompt = "ab";
  script_.texts = {good({kTime, 1, kTime + 1500}), good({kTime, 2, kTime + 1500})};
  run(mel_of(6000), options);
  EXPECT_EQ(script_.started[0].prompt_tokens.size(), 3U);  // " ab"
  EXPECT_THAT(script_.started[1].prompt_tokens, IsEmpty());
}

TEST_F(Sequential, ACarriedPromptStaysInFrontOfWhatIsLeftOfTheText) {
  Options options = greedy();
  options.initial_prompt = "abcdefg";  // 8 tokens of 10: room for 2
  options.carry_initial_prompt = true;
  script_.texts = {good({kTime, 1, 2, 3, kTime + 1500}), good({kTime, 2, kTime + 1500})};
  run(mel_of(6000), options);
  EXPECT_THAT(script_.started[1].prompt_tokens,
              ElementsAre(7, 7, 7, 7, 7, 7, 7, 7, 3, kTime + 1500));
}

TEST_F(Sequential, TextThatRepeatsItselfIsTriedHotter) {
  models::WindowText loop = good({kTime, 1, 1, 1, kTime + 1500});
  loop.compression_ratio = 9;
  script_.texts = {loop, loop, good({kTime, 2, kTime + 1500})};
  const std::vector<Segment> segments = run(mel_of(3000));
  ASSERT_EQ(script_.started.size(), 3U);
  EXPECT_DOUBLE_EQ(script_.started[2].temperature, 0.4);
  EXPECT_EQ(segments[0].text, " w2");
  EXPECT_DOUBLE_EQ(segments[0].temperature, 0.4);
  EXPECT_EQ(script_.num_encoded, 1) << "a retry does not encode again";
}

TEST_F(Sequential, UnlikelyTextIsTriedHotterUnlessItIsSilence) {
  models::WindowText unlikely = good({kTime, 1, kTime + 1500});
  unlikely.avg_logprob = -1.5;
  script_.texts = {unlikely, good({kTime, 2, kTime + 1500})};
  EXPECT_EQ(run(mel_of(3000))[0].text, " w2");

  unlikely.no_speech_prob = 0.7;
  script_.started.clear();
  script_.texts = {unlikely};
  EXPECT_THAT(run(mel_of(3000)), IsEmpty());
  EXPECT_EQ(script_.started.size(), 1U);
}

TEST_F(Sequential, TheLastRungIsTakenAsItIsAndForgotten) {
  Options options = greedy();
  options.temperatures = {0.0, 0.6};
  models::WindowText loop = good({kTime, 1, kTime + 1500});
  loop.compression_ratio = 9;
  script_.texts = {loop, loop, good({kTime, 2, kTime + 1500})};
  EXPECT_EQ(run(mel_of(6000), options).size(), 2U);
  EXPECT_THAT(script_.started[2].prompt_tokens, IsEmpty()) << "text of 0.6 is no prompt";
}

TEST_F(Sequential, NoSpeechWithLikelyTextIsKept) {
  models::WindowText text = good({kTime, 1, kTime + 1500});
  text.no_speech_prob = 0.9;
  script_.texts = {text};
  EXPECT_EQ(run(mel_of(3000)).size(), 1U);
}

TEST_F(Sequential, DigitalSilenceIsNeverGivenToTheModel) {
  EXPECT_THAT(run(mel_of(4500, features::kSilence)), IsEmpty());
  EXPECT_EQ(script_.num_encoded, 0);
}

TEST_F(Sequential, SilenceInsideALoudFileIsNotGivenToTheModelEither) {
  features::MelStore mel(80);
  mel.append(std::vector<float>(3000 * 80, 1.0F));
  mel.append(std::vector<float>(3000 * 80, features::kSilence));
  mel.finish(6000);
  script_.texts = {good({kTime, 1, kTime + 1500})};
  EXPECT_EQ(run(mel).size(), 1U);
  EXPECT_EQ(script_.num_encoded, 1);
}

TEST_F(Sequential, QuietSpeechIsGivenToTheModel) {
  script_.texts = {good({kTime, 1, kTime + 1500})};
  EXPECT_EQ(run(mel_of(3000, -6.0F)).size(), 1U);
}

TEST_F(Sequential, APairAtZeroDoesNotStandStill) {
  for (int i = 0; i < 100; ++i) script_.texts.push_back(good({kTime, kTime, 1}));
  run(mel_of(6000));
  EXPECT_EQ(script_.num_encoded, 2);
}

TEST_F(Sequential, ClipsLimitWhatIsHeard) {
  Options options = greedy();
  options.clip_timestamps_s = {5, 12, 40};
  script_.texts = {good({kTime, 1, kTime + 100}), good({kTime, 2, kTime + 100})};
  const std::vector<Segment> segments = run(mel_of(5000), options);
  ASSERT_EQ(segments.size(), 2U);
  EXPECT_DOUBLE_EQ(segments[0].start_s, 5.0);
  EXPECT_DOUBLE_EQ(segments[1].start_s, 40.0);
}

TEST_F(Sequential, ClipsMayEndAtAnyTime) {
  for (const double end_s : {50.01, 1e17, 1e308}) {
    Options options = greedy();
    options.clip_timestamps_s = {5, end_s, end_s};
    script_.texts = {good({kTime, 1, kTime + 100, kTime + 1500, 2, kTime + 1500})};
    const std::vector<Segment> segments = run(mel_of(1000), options);
    ASSERT_EQ(segments.size(), 1U) << end_s;
    EXPECT_DOUBLE_EQ(segments[0].start_s, 5.0);
  }
}

TEST_F(Sequential, WordsTellWhereSegmentsAndTheNextWindowBegin) {
  Options options = greedy();
  options.word_timestamps = true;
  script_.texts = {good({kTime, 1, 2, kTime + 500, kTime + 500, 3, kTime + 700, kTime + 700, 4}),
                   good({kTime, 5, kTime + 400})};
  script_.positions = {{10, 30, 510, 545}, {20, 60}};
  const std::vector<Segment> segments = run(mel_of(3000), options);
  ASSERT_EQ(segments.size(), 3U);
  EXPECT_DOUBLE_EQ(segments[0].start_s, 0.2);
  ASSERT_EQ(segments[0].words.size(), 2U);
  EXPECT_EQ(segments[0].words[1].text, " w2");
  EXPECT_DOUBLE_EQ(segments[0].words[1].start_s, 0.6);
  EXPECT_DOUBLE_EQ(segments[0].words[1].probability, 0.9);
  EXPECT_DOUBLE_EQ(segments[1].end_s, 10.9);
  EXPECT_EQ(segments[2].seek, 1090) << "not at the last timestamp, 1400";
  EXPECT_DOUBLE_EQ(segments[2].words[0].start_s, 11.3);
  EXPECT_EQ(script_.aligned[0].num_frames, 3000);
  EXPECT_EQ(script_.aligned[1].num_frames, 1910);
  EXPECT_EQ(script_.aligned[0].language, "en");
  EXPECT_EQ(script_.num_encoded, 2) << "words need no second encoding";
}

TEST_F(Sequential, WordsOfAModelThatCannotAlignAreRefused) {
  Options options = greedy();
  options.word_timestamps = true;
  script_.texts = {good({kTime, 1, kTime + 500})};
  try {
    run(mel_of(3000), options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnsupported);
  }
}

TEST_F(Sequential, SilenceBeforeWordsThatLookMadeUpIsSkippedWithThem) {
  Options options = greedy();
  options.word_timestamps = true;
  options.hallucination_silence_threshold_s = 2;
  script_.texts = {good({kTime + 50, 1, kTime + 1500}), good({kTime, 2, kTime + 1000})};
  script_.positions = {{500, 501}, {20, 60}};  // a word of 20 ms after 10 s
  const std::vector<Segment> segments = run(mel_of(3000), options);
  ASSERT_EQ(segments.size(), 1U);
  EXPECT_EQ(segments[0].text, " w2");
  EXPECT_EQ(segments[0].seek, 1000);
  EXPECT_THAT(script_.started[1].prompt_tokens, IsEmpty());
}

TEST_F(Sequential, ProgressRisesToTheEnd) {
  script_.texts = {good({kTime, 1, kTime + 1000, kTime + 1000, 2}), good({kTime, 2, kTime + 1500})};
  std::vector<double> done;
  engine::Job job = engine_.open_job(engine::Priority::kBatch);
  transcribe_sequential(model_, job, mel_of(4000), greedy(),
                        [&](double done_s) { done.push_back(done_s); });
  EXPECT_THAT(done, ElementsAre(20.0, 40.0));
}

}  // namespace
}  // namespace steno::transcribe
