// Ranges decoded by several threads are, sample for sample, what one decoder gives.
#include "audio/parallel_decoder.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/audio_huge.h"
#include "support/audio_sources.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

using test::raw;

// Noise that repeats after a time that has nothing to do with a second, so that a seam in the wrong
// place shows.
template <typename T>
std::vector<T> noise(std::size_t num_samples, double scale) {
  std::vector<T> samples(num_samples);
  unsigned state = 5;
  for (T& sample : samples) {
    state = state * 1664525U + 1013904223U;
    sample = static_cast<T>((static_cast<double>(state >> 8) / (1 << 23) - 1.0) * scale);
  }
  return samples;
}

struct Result {
  std::vector<std::vector<float>> planes;
  DecodeReport report;
};

template <typename AnyDecoder>
Result read_all(AnyDecoder& decoder, std::size_t block) {
  Result result;
  result.planes.resize(static_cast<std::size_t>(decoder.num_outputs()));
  std::vector<std::vector<float>> blocks(result.planes.size(), std::vector<float>(block));
  const std::vector<std::span<float>> outs(blocks.begin(), blocks.end());
  for (std::size_t count = block; count == block;) {
    count = decoder.read_channels(outs);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      result.planes[i].insert(result.planes[i].end(), blocks[i].begin(),
                              blocks[i].begin() + static_cast<std::ptrdiff_t>(count));
    }
  }
  result.report = decoder.report();
  return result;
}

constexpr int kTestRange_s = 2;

void expect_same(const Source& source, const DecodeOptions& options = {}) {
  Decoder serial = Decoder::open(source, options);
  const Result expected = read_all(serial, 50000);
  for (const int num_threads : {2, 3}) {
    auto parallel = ParallelDecoder::try_open(source, options, num_threads, kTestRange_s);
    ASSERT_TRUE(parallel);
    const Result result = read_all(*parallel, 48611);
    ASSERT_EQ(result.planes.size(), expected.planes.size());
    for (std::size_t i = 0; i < result.planes.size(); ++i) {
      // Not EXPECT_EQ: it would print millions of samples.
      ASSERT_EQ(result.planes[i].size(), expected.planes[i].size());
      EXPECT_TRUE(result.planes[i] == expected.planes[i]) << "output " << i;
    }
    EXPECT_EQ(result.report.num_samples, expected.report.num_samples);
    EXPECT_NEAR(result.report.covered_s, expected.report.covered_s, 1.0 / kSampleRate);
    EXPECT_EQ(result.report.warnings, expected.report.warnings);
    EXPECT_EQ(result.report.decode_errors, expected.report.decode_errors);
    EXPECT_EQ(parallel->info().codec, serial.info().codec);
  }
}

std::string seconds_of(const test::WavFormat& format, double seconds) {
  const auto count = static_cast<std::size_t>(seconds * format.rate_hz) *
                     static_cast<std::size_t>(format.num_channels);
  return test::wav(format, raw(noise<std::int16_t>(count, 9000)));
}

TEST(ParallelDecoder, WavOfEveryUsualRateIsTheSame) {
  for (const int rate : {8000, 11025, 16000, 22050, 24000, 32000, 44100, 48000}) {
    SCOPED_TRACE(rate);
    expect_same(Source::memory(seconds_of({.rate_hz = rate}, 7.03), "a"));
  }
}

TEST(ParallelDecoder, WholeRangesEndAtARangesEnd) {
  expect_same(Source::memory(seconds_of({}, 6), "a"));
  expect_same(Source::memory(seconds_of({.rate_hz = 44100}, 4), "a"));
}

TEST(ParallelDecoder, StereoMixedSplitAndAlone) {
  const Source source = Source::memory(seconds_of({.rate_hz = 44100, .num_channels = 2}, 5.3), "a");
  expect_same(source);
  expect_same(source, {.split = true});
  expect_same(source, {.channel = 1});
}

TEST(ParallelDecoder, SizesOf64Bits) {
  const auto samples = noise<float>(std::size_t{16000} * 9, 0.5);
  const std::string data = raw(samples);
  const test::WavFormat format{.tag = 3, .bits = 32};
  expect_same(Source::memory(test::rf64_header(format, data.size()) + data, "a"));
  expect_same(Source::memory(test::w64_header(format, data.size()) + data, "a"));
}

TEST(ParallelDecoder, Flac) {
  expect_same(Source::file(test::audio_fixture("noise.flac")));
}

TEST(ParallelDecoder, SidesThatCancelAreDecodedSerially) {
  auto samples = noise<std::int16_t>(std::size_t{2} * 8000 * 12, 9000);
  for (std::size_t i = 8000 * 2 * 7; i < samples.size(); i += 2) {
    samples[i + 1] = static_cast<std::int16_t>(-samples[i]);
  }
  expect_same(Source::memory(test::wav({.rate_hz = 8000, .num_channels = 2}, raw(samples)), "a"));
}

TEST(ParallelDecoder, WhatIsOddIsDecodedSerially) {
  auto samples = noise<float>(std::size_t{16000} * 12, 0.5);
  samples[16000 * 9] = std::numeric_limits<float>::quiet_NaN();
  const test::WavFormat format{.tag = 3, .bits = 32};
  expect_same(Source::memory(test::wav(format, raw(samples)), "nan"));
  const std::string cut_off = test::wav({}, seconds_of({}, 9.5), 16000 * 2 * 12);
  expect_same(Source::memory(cut_off, "cut off"));
  std::string damaged = test::read_bytes(test::audio_fixture("noise.flac"));
  damaged.replace(damaged.size() * 3 / 4, 20, std::string(20, '\x55'));
  expect_same(Source::memory(damaged, "damaged"));
}

TEST(ParallelDecoder, OtherFormatsAndShortOnesAreSerial) {
  const auto is_serial = [](const Source& source) {
    return !ParallelDecoder::try_open(source, {}, 4);
  };
  for (const char* fixture : {"tone.mp3", "tone.m4a", "tone.opus", "tone.ogg", "tone.flac"}) {
    EXPECT_TRUE(is_serial(Source::file(test::audio_fixture(fixture)))) << fixture;
  }
  EXPECT_TRUE(is_serial(Source::memory(seconds_of({}, 119.9), "short")));
  EXPECT_FALSE(is_serial(Source::memory(seconds_of({}, 120), "long")));
  EXPECT_TRUE(is_serial(Source::memory(seconds_of({.rate_hz = 8011}, 125), "odd rate")));
  const test::Pipe pipe(seconds_of({.rate_hz = 8000}, 125));
  EXPECT_TRUE(is_serial(pipe.source()));
  EXPECT_EQ(decode_all(pipe.source()).size(), 125U * kSampleRate);  // of which nothing is lost
}

TEST(ParallelDecoder, StopsInTheMiddleAndWhenCancelled) {
  bool cancelled = false;
  const Source source = test::huge_source(test::rf64_header({}, std::uint64_t{1} << 33),
                                          std::int64_t{1} << 33, 0, "");
  auto decoder = ParallelDecoder::try_open(source, {.cancelled = [&] { return cancelled; }}, 2);
  ASSERT_TRUE(decoder);
  std::vector<float> block(16000);
  const std::span<float> outs[] = {block};
  EXPECT_EQ(decoder->read_channels(outs), block.size());
  cancelled = true;
  const auto failure = test::failure_of([&] {
    while (decoder->read_channels(outs) > 0) {
    }
  });
  EXPECT_EQ(failure.code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace steno::audio
