// The seek loop against whisper.transcribe on tiny seeded models and a file of more than one
// window. Goldens: tests/golden/whisper (openai-whisper 20250625), made by tools/reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "audio/source.h"
#include "base/utf8.h"
#include "support/golden.h"
#include "transcribe/job.h"

namespace steno::transcribe {
namespace {

std::optional<double> optional_number(const nlohmann::json& json, const char* key,
                                      std::optional<double> otherwise) {
  if (!json.contains(key)) return otherwise;
  if (json[key].is_null()) return std::nullopt;
  return json[key].get<double>();
}

// whisper.transcribe's arguments by their names.
Options options_from(const nlohmann::json& json) {
  Options o;
  o.mode = Mode::kSequential;
  const nlohmann::json language = json.value("language", nlohmann::json());
  o.language = language.is_null() ? "" : language.get<std::string>();
  o.translate = json.value("task", "transcribe") == "translate";
  o.temperatures = {json.value("temperature", 0.0)};
  o.beam_size = json.value("beam_size", 1);
  o.best_of = 1;
  o.max_new_tokens = json.value("sample_len", 0);
  o.compression_ratio_threshold = optional_number(json, "compression_ratio_threshold", 2.4);
  o.logprob_threshold = optional_number(json, "logprob_threshold", -1.0);
  o.no_speech_threshold = optional_number(json, "no_speech_threshold", 0.6);
  o.condition_on_previous_text = json.value("condition_on_previous_text", true);
  o.initial_prompt = json.value("initial_prompt", "");
  o.carry_initial_prompt = json.value("carry_initial_prompt", false);
  o.clip_timestamps_s = json.value("clip_timestamps", std::vector<double>());
  o.word_timestamps = json.value("word_timestamps", false);
  o.hallucination_silence_threshold_s =
      optional_number(json, "hallucination_silence_threshold", std::nullopt);
  return o;
}

class SequentialParity : public ::testing::TestWithParam<std::string> {};

TEST_P(SequentialParity, EveryTranscriptOfTheReference) {
  const golden::Model golden(GetParam());
  const std::unique_ptr<Transcriber> transcriber =
      Transcriber::load({.model = golden.path / "hf", .num_threads = 2});
  ASSERT_GE(golden.meta["transcribe"].size(), 5U);
  for (const auto& [name, expected] : golden.meta["transcribe"].items()) {
    SCOPED_TRACE(name);
    const Options options = options_from(expected["arguments"]);
    if (options.translate && !transcriber->model().can_translate)
      continue;  // a cut decoder: refused
    const Transcript t =
        transcriber->run(audio::Source::file(golden::folder() / "audio" / "d.wav"), options);
    EXPECT_EQ(t.language, expected["language"].get<std::string>());

    // We leave out what the reference empties.
    std::vector<nlohmann::json> segments;
    for (const nlohmann::json& segment : expected["segments"]) {
      if (!segment["tokens"].empty()) segments.push_back(segment);
    }
    ASSERT_EQ(t.segments.size(), segments.size());
    for (std::size_t i = 0; i < segments.size(); ++i) {
      SCOPED_TRACE(i);
      const Segment& ours = t.segments[i];
      const nlohmann::json& theirs = segments[i];
      EXPECT_EQ(ours.id, static_cast<int>(i));
      EXPECT_EQ(ours.tokens, theirs["tokens"].get<std::vector<int>>());
      EXPECT_EQ(ours.seek, theirs["seek"].get<int>());
      EXPECT_NEAR(ours.start_s, std::min(theirs["start"].get<double>(), t.duration_s), 1e-6);
      EXPECT_NEAR(ours.end_s, std::min(theirs["end"].get<double>(), t.duration_s), 1e-6);
      EXPECT_EQ(ours.text, theirs["text"].get<std::string>());
      EXPECT_NEAR(ours.avg_logprob, theirs["avg_logprob"].get<double>(), 1e-4);
      EXPECT_NEAR(ours.no_speech_prob, theirs["no_speech_prob"].get<double>(), 1e-5);
      EXPECT_NEAR(ours.compression_ratio, theirs["compression_ratio"].get<double>(), 1e-9);
      EXPECT_EQ(ours.temperature, 0);
    }
  }
}

TEST_P(SequentialParity, EveryWordOfTheReference) {
  const golden::Model golden(GetParam());
  const nlohmann::json words = golden::load_json(golden.path / "words.json");
  const std::unique_ptr<Transcriber> transcriber =
      Transcriber::load({.model = golden.path / "hf", .num_threads = 2});
  ASSERT_GE(words["transcribe"].size(), 3U);
  for (const auto& [name, expected] : words["transcribe"].items()) {
    SCOPED_TRACE(name);
    const Transcript t = transcriber->run(audio::Source::file(golden::folder() / "audio" / "d.wav"),
                                          options_from(expected["arguments"]));
    std::vector<nlohmann::json> segments;
    for (const nlohmann::json& segment : expected["segments"]) {
      if (!segment["tokens"].empty()) segments.push_back(segment);
    }
    ASSERT_EQ(t.segments.size(), segments.size());
    double earliest_s = 0;
    std::string text;
    for (std::size_t i = 0; i < segments.size(); ++i) {
      SCOPED_TRACE(i);
      const Segment& ours = t.segments[i];
      const nlohmann::json& theirs = segments[i];
      EXPECT_EQ(ours.tokens, theirs["tokens"].get<std::vector<int>>());
      EXPECT_EQ(ours.seek, theirs["seek"].get<int>());
      ASSERT_EQ(ours.words.size(), theirs["words"].size());
      std::string joined;
      for (std::size_t w = 0; w < ours.words.size(); ++w) {
        const Word& word = ours.words[w];
        const nlohmann::json& their_word = theirs["words"][w];
        joined += word.text;
        EXPECT_EQ(word.text, their_word["word"].get<std::string>());
        EXPECT_NEAR(word.probability, their_word["probability"].get<double>(), 1e-4);
        // What the reference lets overlap or stick out, we put in order.
        const auto ordered = [&](double time_s) {
          return std::clamp(time_s, earliest_s, t.duration_s);
        };
        EXPECT_NEAR(word.start_s, ordered(their_word["start"].get<double>()), 1e-6) << word.text;
        earliest_s = word.start_s;
        EXPECT_NEAR(word.end_s, ordered(their_word["end"].get<double>()), 1e-6) << word.text;
        earliest_s = word.end_s;
      }
      EXPECT_EQ(joined, ours.text);
      EXPECT_EQ(ours.text, theirs["text"].get<std::string>());
      EXPECT_LE(ours.start_s, ours.words.front().start_s);
      EXPECT_GE(ours.end_s, ours.words.back().end_s);
      text += ours.text;
    }
    EXPECT_EQ(utf8::strip(text), t.text);
  }
}

INSTANTIATE_TEST_SUITE_P(Tiny, SequentialParity,
                         ::testing::Values("tiny-80", "tiny-128", "tiny-en"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace steno::transcribe
