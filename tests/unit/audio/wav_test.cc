// Every sample format of WAV against exact values: full scale is +-1, and nothing is lost on the
// way.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "audio/decoder.h"
#include "support/audio_sources.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

using test::raw;
using test::wav;
using test::WavFormat;

std::vector<float> decode(const std::string& bytes, const DecodeOptions& options = {}) {
  return decode_all(Source::memory(bytes, "test.wav"), options);
}

struct SampleFormat {
  const char* name;
  int tag;
  int bits;
  std::string data;
  std::vector<float> expected;
};

std::string s24(const std::vector<int>& samples) {
  std::string bytes;
  for (const int sample : samples) {
    for (int shift = 0; shift < 24; shift += 8)
      bytes += static_cast<char>((sample >> shift) & 0xFF);
  }
  return bytes;
}

std::vector<SampleFormat> sample_formats() {
  return {
      {"s16",
       1,
       16,
       raw<std::int16_t>({0, 1, -1, 12345, 32767, -32768}),
       {0.0F, 1 / 32768.0F, -1 / 32768.0F, 12345 / 32768.0F, 32767 / 32768.0F, -1.0F}},
      {"u8",
       1,
       8,
       raw<std::uint8_t>({128, 129, 127, 255, 0, 192}),
       {0.0F, 1 / 128.0F, -1 / 128.0F, 127 / 128.0F, -1.0F, 0.5F}},
      {"s24",
       1,
       24,
       s24({0, 1, -1, 4194304, 8388607, -8388608}),
       {0.0F, 1 / 8388608.0F, -1 / 8388608.0F, 0.5F, 8388607 / 8388608.0F, -1.0F}},
      {"s32",
       1,
       32,
       raw<std::int32_t>({0, 1 << 30, -(1 << 30), 1 << 8, -(1 << 8), INT32_MIN}),
       {0.0F, 0.5F, -0.5F, 1 / 8388608.0F, -1 / 8388608.0F, -1.0F}},
      {"f32",
       3,
       32,
       raw<float>({0.0F, 0.1F, -0.1F, 1.5F, -1.0F, 1e-8F}),
       {0.0F, 0.1F, -0.1F, 1.5F, -1.0F, 1e-8F}},
      {"f64",
       3,
       64,
       raw<double>({0.0, 0.1, -0.1, 1.5, -1.0, 0.25}),
       {0.0F, 0.1F, -0.1F, 1.5F, -1.0F, 0.25F}},
  };
}

TEST(Wav, EverySampleFormatIsExactInBothHeaders) {
  for (const SampleFormat& format : sample_formats()) {
    for (const bool extensible : {false, true}) {
      SCOPED_TRACE(std::string(format.name) + (extensible ? " extensible" : " classic"));
      const WavFormat header{.tag = format.tag, .bits = format.bits, .extensible = extensible};
      EXPECT_EQ(decode(wav(header, format.data)), format.expected);
    }
  }
}

TEST(Wav, AllSixteenBitValuesAreExact) {
  std::vector<std::int16_t> samples;
  std::vector<float> expected;
  for (int value = -32768; value <= 32767; ++value) {
    samples.push_back(static_cast<std::int16_t>(value));
    expected.push_back(static_cast<float>(value) / 32768.0F);
  }
  EXPECT_EQ(decode(wav({}, raw(samples))), expected);
}

TEST(Wav, StereoBecomesTheMeanOfItsSides) {
  const auto data = raw<std::int16_t>({16384, 0, 0, 16384, 8192, 8192, -16384, 16384});
  const std::vector<float> expected = {0.25F, 0.25F, 0.25F, 0.0F};
  EXPECT_EQ(decode(wav({.num_channels = 2}, data)), expected);
}

TEST(Wav, OneChannelAloneIsExact) {
  const auto data = raw<std::int16_t>({16384, 0, 0, 16384, 8192, 8192});
  const std::string bytes = wav({.num_channels = 2}, data);
  EXPECT_EQ(decode(bytes, {.channel = 0}), (std::vector<float>{0.5F, 0.0F, 0.25F}));
  EXPECT_EQ(decode(bytes, {.channel = 1}), (std::vector<float>{0.0F, 0.5F, 0.25F}));
  const auto failure = test::failure_of([&] { decode(bytes, {.channel = 2}); });
  EXPECT_EQ(failure.code, ErrorCode::kInvalidValue);
  EXPECT_EQ(failure.message,
            "audio: test.wav: there is no channel 2; the audio has 2, counted from 0");
}

TEST(Wav, AnyNumberOfChannelsIsMixedWithoutClipping) {
  for (const int num_channels : {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 64}) {
    SCOPED_TRACE(num_channels);
    // Every channel at half of full scale: whatever the weights, their sum is at most 1.
    const std::vector<std::int16_t> samples(static_cast<std::size_t>(num_channels) * 100, 16384);
    const auto mono = decode(wav({.num_channels = num_channels}, raw(samples)));
    ASSERT_EQ(mono.size(), 100U);
    EXPECT_NEAR(mono[50], 0.5F, 1e-6F);
  }
}

TEST(Wav, TooManyChannelsAndImpossibleRatesAreRefused) {
  const std::string data(65 * 2 * 10, '\1');
  EXPECT_EQ(test::failure_of([&] { decode(wav({.num_channels = 65}, data)); }).code,
            ErrorCode::kInvalidAudio);
  for (const int rate : {0, 1, 999, 768001, 2000000000}) {
    SCOPED_TRACE(rate);
    EXPECT_EQ(test::failure_of([&] { decode(wav({.rate_hz = rate}, data)); }).code,
              ErrorCode::kInvalidAudio);
  }
}

// ITU-T G.711, table 2a/2b: code 0x80 (mu) is +full scale 32124, 0xFF is 0; A-law 0xAA is +32256,
// 0xD5 is +8.
TEST(Wav, G711IsDecodedAndBandLimited) {
  const std::string mu_codes(800, '\x80');
  const std::string a_codes(800, '\xAA');
  const auto mu = decode(wav({.tag = 7, .bits = 8, .rate_hz = 8000}, mu_codes));
  const auto a = decode(wav({.tag = 6, .bits = 8, .rate_hz = 8000}, a_codes));
  ASSERT_EQ(mu.size(), 1600U);
  ASSERT_EQ(a.size(), 1600U);
  EXPECT_NEAR(mu[800], 32124 / 32768.0F, 2e-4F);
  EXPECT_NEAR(a[800], 32256 / 32768.0F, 2e-4F);
}

TEST(Wav, RawAuOfMuLawIsRead) {
  std::string bytes = ".snd";
  for (const std::uint32_t word : {24U, 0xFFFFFFFFU, 1U, 8000U, 2U}) {  // big-endian; 1: mu-law
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((word >> shift) & 0xFF);
  }
  for (int i = 0; i < 800; ++i) bytes += "\x80\xFF";  // left full scale, right silent
  const auto mono = decode_all(Source::memory(bytes, "call"));
  ASSERT_EQ(mono.size(), 1600U);
  EXPECT_NEAR(mono[800], 32124 / 65536.0F, 2e-4F);
}

TEST(Wav, NonFiniteSamplesAreSilenceWithAWarning) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto data = raw<float>({0.5F, nan, 0.25F, inf, -inf, 0.125F, 1e30F});
  Decoder decoder = Decoder::open(Source::memory(wav({.tag = 3, .bits = 32}, data), "nan.wav"));
  std::vector<float> out(16, -1.0F);
  ASSERT_EQ(decoder.read(out), 7U);
  out.resize(7);
  EXPECT_EQ(out, (std::vector<float>{0.5F, 0.0F, 0.25F, 0.0F, 0.0F, 0.125F, 0.0F}));
  ASSERT_EQ(decoder.report().warnings.size(), 1U);
  EXPECT_EQ(decoder.report().warnings[0],
            "audio: nan.wav: 4 samples were not finite numbers and count as silence");
}

TEST(Wav, NonFiniteSamplesDoNotSpreadThroughTheResampler) {
  std::vector<double> samples(4800, 0.25);
  samples[2400] = std::numeric_limits<double>::quiet_NaN();
  const auto out = decode(wav({.tag = 3, .bits = 64, .rate_hz = 48000}, raw(samples)));
  ASSERT_EQ(out.size(), 1600U);
  for (const float sample : out) ASSERT_TRUE(std::isfinite(sample));
}

TEST(Wav, NoSamplesIsNoError) {
  Decoder decoder = Decoder::open(Source::memory(wav({}, ""), "none.wav"));
  std::vector<float> out(16);
  EXPECT_EQ(decoder.read(out), 0U);
  EXPECT_EQ(decoder.report().num_samples, 0);
}

TEST(Wav, InfoSaysWhatTheInputIs) {
  const std::string bytes = wav({.rate_hz = 8000, .num_channels = 2}, std::string(32000, '\0'));
  const AudioInfo info = Decoder::open(Source::memory(bytes, "a")).info();
  EXPECT_EQ(info.container, "wav");
  EXPECT_EQ(info.codec, "pcm_s16le");
  EXPECT_EQ(info.stream_index, 0);
  EXPECT_EQ(info.num_audio_streams, 1);
  EXPECT_EQ(info.sample_rate_hz, 8000);
  EXPECT_EQ(info.num_channels, 2);
  EXPECT_DOUBLE_EQ(info.claimed_duration_s.value(), 1.0);
}

}  // namespace
}  // namespace steno::audio
