#include "audio/stereo_mix.h"

#include <gtest/gtest.h>

#include "support/audio_wav.h"

namespace steno::audio {
namespace {

constexpr int kRate = 16000;
std::vector<float> mix(StereoMix& stereo_mix, const std::vector<float>& left,
                       const std::vector<float>& right, std::size_t block = 321) {
  std::vector<float> out;
  for (std::size_t begin = 0; begin < left.size(); begin += block) {
    const std::size_t size = std::min(block, left.size() - begin);
    stereo_mix.push(std::span(left).subspan(begin, size), std::span(right).subspan(begin, size),
                    out);
  }
  stereo_mix.flush(out);
  return out;
}

std::vector<float> tone(double frequency_hz, double amplitude = 0.5, int num_samples = kRate) {
  return test::sine(frequency_hz, amplitude, kRate, num_samples);
}

std::vector<float> scaled(std::vector<float> samples, float factor) {
  for (float& sample : samples) sample *= factor;
  return samples;
}

void expect_mean(const std::vector<float>& left, const std::vector<float>& right) {
  StereoMix stereo_mix(kRate);
  const auto out = mix(stereo_mix, left, right);
  for (std::size_t i = 0; i < out.size(); ++i) {
    ASSERT_EQ(out[i], (left[i] + right[i]) / 2) << i;
  }
  EXPECT_EQ(stereo_mix.num_left_alone(), 0);
}

TEST(StereoMix, TheMeanToTheLastBit) {
  expect_mean(tone(440), tone(440));
  expect_mean(tone(440), tone(1000, 0.3));
  expect_mean(tone(440), std::vector<float>(kRate, 0.0F));
  expect_mean(std::vector<float>(kRate, 0.0F), tone(440));
  expect_mean({}, {});
}

// Half of the sides' energy is lost where one is the other's inverse at half the level: no reason
// to leave the right side out.
TEST(StereoMix, SidesThatCancelInPartKeepTheirMean) {
  expect_mean(tone(440), scaled(tone(440), -0.5F));
}

TEST(StereoMix, InverseSidesAreHeardFromTheFirstSample) {
  StereoMix stereo_mix(kRate);
  const auto left = tone(440);
  EXPECT_EQ(mix(stereo_mix, left, scaled(left, -1.0F)), left);
  EXPECT_EQ(stereo_mix.num_left_alone(), kRate);
}

TEST(StereoMix, NearlyInverseSidesToo) {
  StereoMix stereo_mix(kRate);
  const auto left = tone(440);
  EXPECT_EQ(mix(stereo_mix, left, scaled(left, -0.95F)), left);
}

TEST(StereoMix, SilenceInFrontDecidesNothing) {
  StereoMix stereo_mix(kRate);
  std::vector<float> left(kRate, 1e-6F);
  const auto sound = tone(440);
  left.insert(left.end(), sound.begin(), sound.end());
  const auto out = mix(stereo_mix, left, scaled(left, -1.0F));
  EXPECT_EQ(std::vector<float>(out.begin() + kRate, out.end()), sound);
}

TEST(StereoMix, AfterASpliceTheMeanComesBackWithoutAStep) {
  StereoMix stereo_mix(kRate);
  auto left = tone(440, 0.5, 2 * kRate);
  auto right = left;
  for (std::size_t i = 0; i < kRate; ++i) right[i] = -left[i];
  for (std::size_t i = kRate; i < right.size(); ++i) right[i] = 0;
  const auto out = mix(stereo_mix, left, right);
  EXPECT_EQ(out[kRate - 1], left[kRate - 1]);
  EXPECT_EQ(out.back(), left.back() / 2);
  // A 440 Hz sine of 0.5 moves by at most 0.087 a sample; the fade adds less than a tenth of that.
  for (std::size_t i = 1; i < out.size(); ++i) ASSERT_LT(std::abs(out[i] - out[i - 1]), 0.095F);
}

TEST(StereoMix, HowTheInputIsCutUpPlaysNoPart) {
  const auto left = tone(440, 0.5, 2 * kRate + 77);
  auto right = left;
  for (std::size_t i = kRate - 50; i < right.size(); ++i) right[i] = -left[i];
  StereoMix expected_mix(kRate);
  const auto expected = mix(expected_mix, left, right);
  ASSERT_EQ(expected.size(), left.size());
  for (const std::size_t block : {1U, 159U, 160U, 1024U, 100000U}) {
    StereoMix stereo_mix(kRate);
    EXPECT_EQ(mix(stereo_mix, left, right, block), expected) << block;
  }
}

TEST(StereoMix, AnInversionInTheMiddleIsFoundWithinHalfASecond) {
  StereoMix stereo_mix(kRate);
  const auto left = tone(440, 0.5, 2 * kRate);
  auto right = left;
  for (std::size_t i = kRate; i < right.size(); ++i) right[i] = -left[i];
  const auto out = mix(stereo_mix, left, right);
  EXPECT_EQ(out[kRate - 1], left[kRate - 1]);
  for (std::size_t i = kRate + kRate / 2; i < out.size(); ++i) ASSERT_EQ(out[i], left[i]) << i;
}

}  // namespace
}  // namespace steno::audio
