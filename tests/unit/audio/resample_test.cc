// The resampler keeps the speech band and lets nothing fold back into it.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "audio/decoder.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

using test::raw;
using test::sine;
using test::wav;

std::vector<float> decode_tone(double frequency_hz, int rate_hz, double amplitude = 0.5) {
  const auto tone = sine(frequency_hz, amplitude, rate_hz, rate_hz);  // one second
  return decode_all(
      Source::memory(wav({.tag = 3, .bits = 32, .rate_hz = rate_hz}, raw(tone)), "tone"));
}

// Away from the ends, where the filter has no neighbours on one side.
double amplitude_at(const std::vector<float>& samples, double frequency_hz) {
  std::complex<double> sum = 0;
  const std::size_t begin = 1600;
  const std::size_t end = 14400;  // 0.8 s: whole periods of every multiple of 1.25 Hz
  for (std::size_t i = begin; i < end; ++i) {
    sum += static_cast<double>(samples[i]) *
           std::polar(1.0,
                      -2 * std::numbers::pi * frequency_hz * static_cast<double>(i) / kSampleRate);
  }
  return 2 * std::abs(sum) / static_cast<double>(end - begin);
}

double rms(const std::vector<float>& samples) {
  double sum = 0;
  for (std::size_t i = 1600; i < 14400; ++i) sum += static_cast<double>(samples[i]) * samples[i];
  return std::sqrt(sum / 12800);
}

TEST(Resample, ToneKeepsFrequencyAmplitudeAndPhase) {
  for (const int rate : {8000, 11025, 22050, 24000, 32000, 44100, 48000, 96000, 192000}) {
    SCOPED_TRACE(rate);
    const auto samples = decode_tone(1000, rate);
    ASSERT_EQ(samples.size(), 16000U);
    const auto expected = sine(1000, 0.5, kSampleRate, kSampleRate);
    for (std::size_t i = 1600; i < 14400; ++i) ASSERT_NEAR(samples[i], expected[i], 1e-3F) << i;
  }
}

TEST(Resample, SpeechBandIsFlat) {
  for (const double frequency : {100.0, 1000.0, 3000.0, 5000.0, 6000.0, 7000.0}) {
    SCOPED_TRACE(frequency);
    EXPECT_NEAR(amplitude_at(decode_tone(frequency, 48000), frequency), 0.5, 0.005);
    EXPECT_NEAR(amplitude_at(decode_tone(frequency, 44100), frequency), 0.5, 0.005);
  }
}

TEST(Resample, WhatIsAboveTheBandIsGone) {
  for (const double frequency : {9000.0, 10000.0, 12000.0, 15000.0, 20000.0}) {
    SCOPED_TRACE(frequency);
    EXPECT_LT(rms(decode_tone(frequency, 48000)), 0.5e-4);  // -77 dB below the tone
    EXPECT_LT(rms(decode_tone(frequency, 44100)), 0.5e-4);
  }
}

TEST(Resample, UpsamplingAddsNoImages) {
  const auto samples = decode_tone(3000, 8000);
  EXPECT_NEAR(amplitude_at(samples, 3000), 0.5, 0.005);
  EXPECT_LT(amplitude_at(samples, 5000), 0.5e-4);
}

TEST(Resample, LengthIsTheRoundedLengthOfTheInput) {
  for (const int num_samples : {1, 2, 3, 100, 441, 4410, 44100, 44101, 100001}) {
    SCOPED_TRACE(num_samples);
    const std::vector<std::int16_t> silence(static_cast<std::size_t>(num_samples), 0);
    const auto out = decode_all(Source::memory(wav({.rate_hz = 44100}, raw(silence)), "x"));
    EXPECT_EQ(out.size(), static_cast<std::size_t>(std::lround(num_samples * 16000.0 / 44100.0)));
  }
}

}  // namespace
}  // namespace steno::audio
