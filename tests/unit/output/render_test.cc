#include "output/render.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "unit/output/spoken.h"

namespace steno::output {
namespace {

using transcribe::Segment;
using transcribe::Transcript;
using transcribe::Word;

Segment segment(int id, double start_s, double end_s, std::string text) {
  Segment out;
  out.id = id;
  out.start_s = start_s;
  out.end_s = end_s;
  out.text = std::move(text);
  out.avg_logprob = -0.25;
  out.compression_ratio = 1.5;
  out.no_speech_prob = 0.125;
  return out;
}

Transcript two_segments() {
  Transcript out;
  out.source = "talk.wav";
  out.language = "en";
  out.duration_s = 8.47;
  out.covered_s = 8.47;
  out.model = "whisper-tiny";
  out.compute_type = "f32";
  out.version = "0.1.0";
  out.text = " Hello there. General!";
  out.segments = {segment(0, 0, 2.5, " Hello there."), segment(1, 2.5, 8.46, " General!")};
  out.segments[0].tokens = {50364, 2425, 50489};
  out.segments[1].seek = 250;
  out.segments[1].temperature = 0.2;
  return out;
}

Transcript with_text(std::string text) {
  Transcript out;
  out.language = "en";
  out.duration_s = 2;
  out.text = text;
  out.segments = {segment(0, 0, 1.5, std::move(text))};
  return out;
}

TEST(RenderTxt, IsALineForEachSegment) {
  EXPECT_EQ(render(two_segments(), Format::kTxt), "Hello there.\nGeneral!\n");
}

TEST(RenderSrt, IsWhatOpenaiWhisperWrites) {
  EXPECT_EQ(render(two_segments(), Format::kSrt),
            "1\n00:00:00,000 --> 00:00:02,500\nHello there.\n\n"
            "2\n00:00:02,500 --> 00:00:08,460\nGeneral!\n\n");
}

TEST(RenderVtt, IsWhatOpenaiWhisperWrites) {
  EXPECT_EQ(render(two_segments(), Format::kVtt),
            "WEBVTT\n\n"
            "00:00.000 --> 00:02.500\nHello there.\n\n"
            "00:02.500 --> 00:08.460\nGeneral!\n\n");
}

TEST(RenderTsv, IsWhatOpenaiWhisperWrites) {
  EXPECT_EQ(render(two_segments(), Format::kTsv),
            "start\tend\ttext\n0\t2500\tHello there.\n2500\t8460\tGeneral!\n");
}

TEST(RenderJson, IsOpenaiWhispersResultAndTheCoverage) {
  EXPECT_EQ(
      render(two_segments(), Format::kJson),
      R"({"text":" Hello there. General!","segments":[)"
      R"({"id":0,"seek":0,"start":0.0,"end":2.5,"text":" Hello there.",)"
      R"("tokens":[50364,2425,50489],"temperature":0.0,"avg_logprob":-0.25,)"
      R"("compression_ratio":1.5,"no_speech_prob":0.125},)"
      R"({"id":1,"seek":250,"start":2.5,"end":8.46,"text":" General!",)"
      R"("tokens":[],"temperature":0.2,"avg_logprob":-0.25,)"
      R"("compression_ratio":1.5,"no_speech_prob":0.125}],)"
      R"("language":"en","source":"talk.wav","duration":8.47,"covered":8.47,)"
      R"("missing":[],"decode_errors":0,"warnings":[],"model":"whisper-tiny","compute_type":"f32",)"
      R"("version":"0.1.0"})"
      "\n");
}

TEST(RenderJson, WordsStandInTheirSegmentAsSpelled) {
  Transcript transcript = with_text(" Hi.");
  transcript.segments[0].words = {Word{" Hi.", 0.1, 0.30000000000000004, 0.5}};
  const auto document = nlohmann::json::parse(render(transcript, Format::kJson));
  EXPECT_EQ(document["segments"][0]["words"].dump(),
            R"([{"end":0.3,"probability":0.5,"start":0.1,"word":" Hi."}])");
}

TEST(RenderVerboseJson, IsTheAnswerOfTheOpenaiApi) {
  EXPECT_EQ(render(two_segments(), Format::kVerboseJson),
            R"({"task":"transcribe","language":"english","duration":8.47,)"
            R"("text":" Hello there. General!","segments":[)"
            R"({"id":0,"seek":0,"start":0.0,"end":2.5,"text":" Hello there.",)"
            R"("tokens":[50364,2425,50489],"temperature":0.0,"avg_logprob":-0.25,)"
            R"("compression_ratio":1.5,"no_speech_prob":0.125},)"
            R"({"id":1,"seek":250,"start":2.5,"end":8.46,"text":" General!",)"
            R"("tokens":[],"temperature":0.2,"avg_logprob":-0.25,)"
            R"("compression_ratio":1.5,"no_speech_prob":0.125}],)"
            R"("usage":{"type":"duration","seconds":9}})"
            "\n");
}

TEST(RenderVerboseJson, WordsAreOneListOfBareWords) {
  Transcript transcript = with_text(" Hi you.");
  transcript.segments[0].words = {Word{" Hi", 0, 0.5, 0.9}, Word{" you.", 0.5, 1, 0.8}};
  const auto document = nlohmann::ordered_json::parse(render(transcript, Format::kVerboseJson));
  EXPECT_EQ(document["words"].dump(), R"([{"word":"Hi","start":0.0,"end":0.5},)"
                                      R"({"word":"you.","start":0.5,"end":1.0}])");
  EXPECT_FALSE(document["segments"][0].contains("words"));
}

TEST(RenderVerboseJson, SecondsAreRoundedUp) {
  const std::pair<double, int> cases[] = {{0, 0}, {0.05, 1}, {9.0000001, 9}, {9.001, 10}, {10, 10}};
  for (const auto& [duration_s, seconds] : cases) {
    Transcript transcript;
    transcript.duration_s = duration_s;
    const auto document = nlohmann::json::parse(render(transcript, Format::kVerboseJson));
    EXPECT_EQ(document["usage"]["seconds"], seconds) << duration_s;
  }
}

TEST(RenderVerboseJson, ATranslationIsInEnglish) {
  Transcript transcript = with_text(" Good day");
  transcript.language = "de";
  EXPECT_EQ(nlohmann::json::parse(render(transcript, Format::kVerboseJson))["language"], "german");
  transcript.task = "translate";
  EXPECT_EQ(nlohmann::json::parse(render(transcript, Format::kVerboseJson))["language"], "english");
  EXPECT_EQ(nlohmann::json::parse(render(transcript, Format::kJson))["language"], "de");
}

Transcript degraded() {
  Transcript transcript = two_segments();
  transcript.segments[0].language = "de";
  transcript.segments[0].channel = "left";
  transcript.segments[1].flags = {"repetition", "low_confidence"};
  transcript.missing = {{1.25, 2.5004, "decode_error"}};
  transcript.speech_s = 6.5;
  transcript.stream = transcribe::AudioStream{2, "aac", "jpn"};
  return transcript;
}

TEST(RenderJson, TellsWhatIsMissingAndWhatTheGuardsSaw) {
  const auto document = nlohmann::json::parse(render(degraded(), Format::kJson));
  EXPECT_EQ(document["missing"].dump(), R"([{"end":2.5,"reason":"decode_error","start":1.25}])");
  EXPECT_EQ(document["speech"], 6.5);
  EXPECT_EQ(document["stream"].dump(), R"({"codec":"aac","index":2,"language":"jpn"})");
  EXPECT_EQ(document["segments"][0]["language"], "de");
  EXPECT_EQ(document["segments"][0]["channel"], "left");
  EXPECT_FALSE(document["segments"][0].contains("flags"));
  EXPECT_EQ(document["segments"][1]["flags"].dump(), R"(["repetition","low_confidence"])");
  EXPECT_FALSE(document["segments"][1].contains("language"));
  EXPECT_FALSE(document["segments"][1].contains("channel"));
}

TEST(RenderVerboseJson, TellsIfSomethingIsMissing) {
  const auto whole = nlohmann::json::parse(render(two_segments(), Format::kVerboseJson));
  EXPECT_FALSE(whole.contains("missing"));
  const auto document = nlohmann::json::parse(render(degraded(), Format::kVerboseJson));
  EXPECT_EQ(document["missing"].size(), 1u);
  EXPECT_EQ(document["segments"][1]["flags"].size(), 2u);
}

Transcript spoken_twice() {
  Transcript transcript;
  transcript.text = " The first one is here. The second one follows it.";
  transcript.segments = {spoken(" The first one is", 0, 0.4),
                         spoken(" here. The second one follows it.", 1.6, 0.4)};
  return transcript;
}

TEST(RenderSubtitles, WordsMakeSentences) {
  EXPECT_EQ(render(spoken_twice(), Format::kSrt),
            "1\n00:00:00,000 --> 00:00:02,000\nThe first one is here.\n\n"
            "2\n00:00:02,000 --> 00:00:04,000\nThe second one follows it.\n\n");
  EXPECT_EQ(render(spoken_twice(), Format::kTsv),
            "start\tend\ttext\n0\t2000\tThe first one is here.\n"
            "2000\t4000\tThe second one follows it.\n");
}

TEST(RenderSubtitles, LinesAreShownBelowEachOther) {
  const CueLimits narrow{.max_line_columns = 14};
  EXPECT_EQ(render(spoken_twice(), Format::kVtt, narrow),
            "WEBVTT\n\n00:00.000 --> 00:02.000\nThe first\none is here.\n\n"
            "00:02.000 --> 00:04.000\nThe second one\nfollows it.\n\n");
}

TEST(RenderSubtitles, LimitsAreKeptWithoutWordsToo) {
  const CueLimits narrow{.max_line_columns = 5, .max_lines = 1};
  Transcript transcript = with_text(" abcd efgh");
  EXPECT_EQ(render(transcript, Format::kTsv, narrow),
            "start\tend\ttext\n0\t667\tabcd\n667\t1500\tefgh\n");  // 4 of 9 columns of 1.5 s
}

TEST(RenderSubtitles, AWordHasTheSameTimesInEveryFormat) {
  const CueLimits word_by_word{.max_lines = 1, .max_words_per_line = 1};
  Transcript transcript;
  transcript.segments = {spoken(" The first one is here.", 359'999.0005, 0.33333)};
  const auto document = nlohmann::json::parse(render(transcript, Format::kVerboseJson));
  std::string tsv = "start\tend\ttext\n";
  for (const auto& word : document["words"]) {
    tsv += fmt::format("{:.0f}\t{:.0f}\t{}\n", word["start"].get<double>() * 1000,
                       word["end"].get<double>() * 1000, word["word"].get<std::string>());
  }
  EXPECT_EQ(render(transcript, Format::kTsv, word_by_word), tsv);
}

TEST(RenderSubtitles, EachChannelHasItsOwnCues) {
  Transcript transcript;
  transcript.segments = {segment(0, 0, 4, " How are you?"), segment(1, 1, 2, " Hm."),
                         segment(2, 3, 5, " Fine.")};
  transcript.segments[0].channel = "left";
  transcript.segments[1].channel = transcript.segments[2].channel = "right";
  EXPECT_EQ(render(transcript, Format::kTsv),
            "start\tend\ttext\n0\t4000\t[left] How are you?\n1000\t2000\t[right] Hm.\n"
            "3000\t5000\t[right] Fine.\n");
  EXPECT_EQ(render(transcript, Format::kTxt), "[left] How are you?\n[right] Hm.\n[right] Fine.\n");
}

TEST(RenderSubtitles, ACueIsInOneLanguage) {
  Transcript transcript;
  transcript.segments = {spoken(" so we said", 0, 0.3), spoken(" guten Morgen", 0.9, 0.3)};
  transcript.segments[1].language = "de";
  EXPECT_EQ(render(transcript, Format::kTsv),
            "start\tend\ttext\n0\t900\tso we said\n900\t1500\tguten Morgen\n");
}

TEST(Render, SilenceIsEmptyButValidInEveryFormat) {
  Transcript silence;
  silence.language = "en";
  silence.duration_s = 30;
  EXPECT_EQ(render(silence, Format::kTxt), "");
  EXPECT_EQ(render(silence, Format::kSrt), "");
  EXPECT_EQ(render(silence, Format::kVtt), "WEBVTT\n\n");
  EXPECT_EQ(render(silence, Format::kTsv), "start\tend\ttext\n");
  for (const Format format : {Format::kJson, Format::kVerboseJson}) {
    const auto document = nlohmann::json::parse(render(silence, format));
    EXPECT_EQ(document["text"], "");
    EXPECT_EQ(document["segments"], nlohmann::json::array());
    EXPECT_FALSE(document.contains("words"));
  }
}

TEST(Render, CuesAreNumberedInOrderWithoutTheEmptyOnes) {
  Transcript transcript;
  transcript.segments = {segment(0, 0, 0.4, " a"), segment(1, 0.4, 0.4, ""),
                         segment(2, 0.4, 0.5, " "), segment(3, 0.5, 0.52, " b")};
  EXPECT_EQ(render(transcript, Format::kSrt),
            "1\n00:00:00,000 --> 00:00:00,400\na\n\n"
            "2\n00:00:00,500 --> 00:00:00,520\nb\n\n");
}

TEST(Render, ArrowsInTheTextAreNoTimes) {
  EXPECT_EQ(render(with_text(" a --> b"), Format::kSrt),
            "1\n00:00:00,000 --> 00:00:01,500\na -> b\n\n");
  EXPECT_EQ(render(with_text(" a ----> b"), Format::kVtt),
            "WEBVTT\n\n00:00.000 --> 00:01.500\na -> b\n\n");
  EXPECT_EQ(render(with_text(" a --> b"), Format::kTxt), "a --> b\n");
}

TEST(Render, BreaksAndTabsDoNotBreakALine) {
  EXPECT_EQ(render(with_text(" a\n\n7\nb"), Format::kSrt),
            "1\n00:00:00,000 --> 00:00:01,500\na 7 b\n\n");
  EXPECT_EQ(render(with_text(" a\tb\r\nc"), Format::kTsv), "start\tend\ttext\n0\t1500\ta b c\n");
}

TEST(Render, IsValidUtf8WhateverTheModelSpells) {
  Transcript transcript = with_text(" \xe6\x97\xa5\xe6\x9c");  // cut inside the second character
  transcript.source = "caf\xe9.wav";                           // a Latin-1 file name
  transcript.segments[0].words = {Word{"\xf0\x9f", 0, 1, 1}};
  for (const Format format : kAllFormats) {
    EXPECT_TRUE(utf8::is_valid(render(transcript, format))) << name(format);
  }
  EXPECT_EQ(render(transcript, Format::kTxt), "\xe6\x97\xa5\xef\xbf\xbd\n");
}

TEST(Render, NeverPrintsANumberThatIsNone) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Transcript transcript = with_text(" x");
  transcript.duration_s = kNaN;
  transcript.covered_s = kInfinity;
  Segment& only = transcript.segments[0];
  only.start_s = only.end_s = only.temperature = only.compression_ratio = kNaN;
  only.avg_logprob = -kInfinity;
  only.words = {Word{"x", kNaN, kInfinity, kNaN}};
  for (const Format format : kAllFormats) {
    const std::string out = render(transcript, format);
    EXPECT_EQ(out.find("nan"), std::string::npos) << out;
    EXPECT_EQ(out.find("inf"), std::string::npos) << out;
  }
  const auto document = nlohmann::json::parse(render(transcript, Format::kJson));
  EXPECT_TRUE(document["segments"][0]["avg_logprob"].is_null());
  EXPECT_EQ(document["segments"][0]["start"], 0.0);
}

}  // namespace
}  // namespace steno::output
