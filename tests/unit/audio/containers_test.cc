// Every container gives the same samples from memory, from a file and through a pipe, and its times
// are right: codec delay taken off in front, padding cut off behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "audio/decoder.h"
#include "support/audio_sources.h"

namespace steno::audio {
namespace {

using test::audio_fixture;
using test::failure_of;
using test::read_bytes;

struct Fixture {
  const char* file;
  const char* container;
  const char* codec;
  std::int64_t num_samples;
  double onset_s;
  double tolerance_s;  // lossy codecs smear the onset ahead by a block
};

// 3.0 s with a tone from 1.0 s. Without a Xing header nothing tells the encoder's delay of 1105
// samples, so it stays, in FFmpeg as everywhere.
constexpr Fixture kFixtures[] = {
    {"tone.flac", "flac", "flac", 48000, 1.0, 0.001},
    {"tone.m4a", "mp4", "aac", 48000, 1.0, 0.005},
    {"tone.mp3", "mp3", "mp3", 48000, 1.0, 0.005},
    {"tone_with_cover.mp3", "mp3", "mp3", 48000, 1.0, 0.005},
    {"tone_vbr_no_xing.mp3", "mp3", "mp3", 48483, 1.025, 0.005},
    {"tone.opus", "ogg", "opus", 48000, 1.0, 0.005},
    {"tone_live.webm", "matroska", "opus", 48000, 1.0, 0.005},
    {"tone.ogg", "ogg", "vorbis", 48000, 1.0, 0.015},
};

double onset_s(const std::vector<float>& samples) {
  std::size_t i = 0;
  while (i < samples.size() && std::abs(samples[i]) < 0.05F) ++i;
  return static_cast<double>(i) / kSampleRate;
}

double rms(std::span<const float> samples) {
  double sum = 0;
  for (const float sample : samples) sum += static_cast<double>(sample) * sample;
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

class Containers : public testing::TestWithParam<Fixture> {};

TEST_P(Containers, ContentLengthAndOnsetAreRight) {
  const Fixture& fixture = GetParam();
  Decoder decoder = Decoder::open(Source::file(audio_fixture(fixture.file)));
  EXPECT_EQ(decoder.info().container, fixture.container);
  EXPECT_EQ(decoder.info().codec, fixture.codec);
  std::vector<float> samples(100000);
  samples.resize(decoder.read(samples));
  EXPECT_EQ(static_cast<std::int64_t>(samples.size()), fixture.num_samples);
  EXPECT_NEAR(onset_s(samples), fixture.onset_s, fixture.tolerance_s);
  EXPECT_NEAR(rms(std::span(samples).subspan(20000, 8000)), 0.5 / std::sqrt(2.0), 0.05);
  const DecodeReport& report = decoder.report();
  EXPECT_EQ(report.num_samples, fixture.num_samples);
  EXPECT_NEAR(report.covered_s, report.duration_s(), 1e-4);
  EXPECT_EQ(report.decode_errors, 0);
  EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
}

TEST_P(Containers, MemoryFileAndPipeGiveTheSameSamples) {
  const auto path = audio_fixture(GetParam().file);
  const std::string bytes = read_bytes(path);
  const auto from_file = decode_all(Source::file(path));
  EXPECT_EQ(decode_all(Source::memory(bytes, "wrong.wav")), from_file);
  EXPECT_EQ(decode_all(Source::view(std::as_bytes(std::span(bytes)), "")), from_file);
  const test::Pipe pipe(bytes);
  EXPECT_EQ(decode_all(pipe.source()), from_file);
}

TEST_P(Containers, BlockSizeDoesNotMatter) {
  const Source source = Source::file(audio_fixture(GetParam().file));
  const auto expected = decode_all(source);
  for (const std::size_t block : {1U, 7U, 333U, 4801U, 1000000U}) {
    Decoder decoder = Decoder::open(source);
    std::vector<float> samples;
    std::vector<float> out(block);
    while (const std::size_t count = decoder.read(out)) {
      samples.insert(samples.end(), out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count));
    }
    EXPECT_EQ(samples, expected) << block;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Containers, testing::ValuesIn(kFixtures), [](const auto& test) {
  std::string name = test.param.file;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
});

TEST(Streams, TheOneMarkedDefaultIsTaken) {
  const Decoder decoder = Decoder::open(Source::file(audio_fixture("two_tracks.mkv")));
  EXPECT_EQ(decoder.info().audio_stream, 1);
  EXPECT_EQ(decoder.info().stream_index, 2);
  EXPECT_EQ(decoder.info().num_audio_streams, 2);
  EXPECT_EQ(decoder.info().language, "eng");
}

TEST(Streams, IndexOrLanguageChooses) {
  const Source source = Source::file(audio_fixture("two_tracks.mkv"));
  const auto japanese = decode_all(source, {.language = "jpn"});
  EXPECT_NEAR(onset_s(japanese), 1.0, 0.005);
  EXPECT_EQ(decode_all(source, {.audio_stream = 0}), japanese);
  EXPECT_LT(onset_s(decode_all(source, {.audio_stream = 1})), 0.01);
}

TEST(Streams, ALanguageMayBeSpelledInAnotherWay) {
  DecodeOptions options{.language = "ja"};
  options.same_language = [](std::string_view tag, std::string_view language) {
    return tag == "jpn" && language == "ja";
  };
  const Decoder decoder = Decoder::open(Source::file(audio_fixture("two_tracks.mkv")), options);
  EXPECT_EQ(decoder.info().audio_stream, 0);
  EXPECT_EQ(decoder.info().language, "jpn");
  EXPECT_EQ(decoder.info().codec, "opus");
  EXPECT_EQ(decoder.info().num_channels, 1);
}

TEST(Streams, WhatIsNotThereIsNamed) {
  const Source source = Source::file(audio_fixture("two_tracks.mkv"));
  const auto by_index = failure_of([&] { decode_all(source, {.audio_stream = 2}); });
  EXPECT_EQ(by_index.code, ErrorCode::kInvalidValue);
  EXPECT_TRUE(
      by_index.message.ends_with("there is no audio stream 2; there are 0: opus jpn, 1: opus eng"))
      << by_index.message;
  const auto by_language = failure_of([&] { decode_all(source, {.language = "fra"}); });
  EXPECT_EQ(by_language.code, ErrorCode::kInvalidValue);
  EXPECT_NE(by_language.message.find("no audio stream is tagged 'fra'"), std::string::npos);
}

}  // namespace
}  // namespace steno::audio
