#include "features/fft.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "unit/features/naive_log_mel.h"

namespace steno::features {
namespace {

FrameLanes random_frames(unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  FrameLanes frames;
  for (float& x : frames) x = uniform(random);
  return frames;
}

std::vector<double> lane_of(const FrameLanes& frames, int lane) {
  std::vector<double> x;
  for (int n = 0; n < kFrameSamples; ++n) x.push_back(frames[n * kLanes + lane]);
  return x;
}

TEST(PowerSpectrum, EqualsTheDefinition) {
  const PowerSpectrum spectrum;
  const FrameLanes frames = random_frames(7);
  PowerLanes power;
  spectrum.transform(frames, power);
  for (int lane = 0; lane < kLanes; ++lane) {
    const std::vector<double> x = lane_of(frames, lane);
    const std::vector<double> expected = testing::naive_power(x);
    // An f32 FFT errs by about eps * log2(400) / 2 of the frame's norm in every bin's amplitude.
    const double norm = std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0) * 200);
    for (int k = 0; k < kNumBins; ++k) {
      const double error = std::sqrt(power[k * kLanes + lane]) - std::sqrt(expected[k]);
      EXPECT_LE(std::abs(error), 6e-8 * 4.5 * norm) << "bin " << k << " lane " << lane;
    }
  }
}

TEST(PowerSpectrum, KeepsEveryToneInItsBin) {
  const PowerSpectrum spectrum;
  for (int bin = 0; bin < kNumBins; ++bin) {
    FrameLanes frames{};
    for (int n = 0; n < kFrameSamples; ++n) {
      frames[n * kLanes + 3] = static_cast<float>(std::cos(2 * M_PI * bin * n / kFrameSamples));
    }
    PowerLanes power;
    spectrum.transform(frames, power);
    const double expected = bin == 0 || bin == 200 ? 400.0 * 400.0 : 200.0 * 200.0;
    for (int k = 0; k < kNumBins; ++k) {
      EXPECT_NEAR(power[k * kLanes + 3], k == bin ? expected : 0.0, expected * 1e-6)
          << bin << ' ' << k;
      EXPECT_EQ(power[k * kLanes + 2], 0.0F);
      EXPECT_EQ(power[k * kLanes + 4], 0.0F);
    }
  }
}

TEST(PowerSpectrum, GivesTheSameBitsInEveryLane) {
  const PowerSpectrum spectrum;
  const FrameLanes alone = random_frames(3);
  PowerLanes expected;
  spectrum.transform(alone, expected);
  for (int shift = 1; shift < kLanes; ++shift) {
    FrameLanes frames = random_frames(100U + shift);
    for (int n = 0; n < kFrameSamples; ++n) frames[n * kLanes + shift] = alone[n * kLanes];
    PowerLanes power;
    spectrum.transform(frames, power);
    for (int k = 0; k < kNumBins; ++k) {
      EXPECT_EQ(power[k * kLanes + shift], expected[k * kLanes]) << "lane " << shift;
    }
  }
}

}  // namespace
}  // namespace steno::features
