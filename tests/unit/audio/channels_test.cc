// Which channels are heard: all mixed, each by itself, or one.
#include <gtest/gtest.h>

#include <cmath>

#include "audio/decoder.h"
#include "support/audio_sources.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

using test::raw;
using test::sine;
using test::wav;

template <typename T>
std::vector<T> interleave(const std::vector<std::vector<T>>& channels) {
  std::vector<T> samples;
  for (std::size_t i = 0; i < channels.front().size(); ++i) {
    for (const auto& channel : channels) samples.push_back(channel[i]);
  }
  return samples;
}

// f32 WAV of these channels.
Source recording(const std::vector<std::vector<float>>& channels, int rate_hz) {
  const auto count = static_cast<int>(channels.size());
  return Source::memory(wav({.tag = 3, .bits = 32, .rate_hz = rate_hz, .num_channels = count},
                            raw(interleave(channels))),
                        "call.wav");
}

double rms(std::span<const float> samples) {
  double sum = 0;
  for (const float sample : samples) sum += static_cast<double>(sample) * sample;
  return std::sqrt(sum / static_cast<double>(samples.size()));
}

// A telephone call: one speaks in the first half on the left, the other in the second on the right.
std::vector<std::vector<float>> call(int rate_hz) {
  auto left = sine(440, 0.5, rate_hz, 2 * rate_hz);
  auto right = sine(1000, 0.5, rate_hz, 2 * rate_hz);
  std::fill(left.begin() + rate_hz, left.end(), 0.0F);
  std::fill(right.begin(), right.begin() + rate_hz, 0.0F);
  return {left, right};
}

TEST(Channels, TheMixKeepsBothSpeakers) {
  const auto mixed = decode_all(recording(call(8000), 8000));
  ASSERT_EQ(mixed.size(), 32000U);
  const double half_of_a_side = 0.25 / std::sqrt(2.0);
  EXPECT_NEAR(rms(std::span(mixed).first(15000)), half_of_a_side, 0.002);
  EXPECT_NEAR(rms(std::span(mixed).last(15000)), half_of_a_side, 0.002);
}

TEST(Channels, SplitGivesEachSideByItself) {
  const auto sides = split_all(recording(call(8000), 8000));
  ASSERT_EQ(sides.size(), 2U);
  const double full = 0.5 / std::sqrt(2.0);
  EXPECT_NEAR(rms(std::span(sides[0]).first(15000)), full, 0.004);
  EXPECT_LT(rms(std::span(sides[0]).last(15000)), 1e-4);
  EXPECT_LT(rms(std::span(sides[1]).first(15000)), 1e-4);
  EXPECT_NEAR(rms(std::span(sides[1]).last(15000)), full, 0.004);
}

TEST(Channels, SplitIsEachChannelAloneToTheLastBit) {
  for (const int rate : {8000, 16000, 44100}) {
    for (const int num_channels : {1, 2, 3, 6}) {
      SCOPED_TRACE(testing::Message() << rate << " Hz, " << num_channels << " channels");
      std::vector<std::vector<float>> channels;
      for (int i = 0; i < num_channels; ++i)
        channels.push_back(sine(200 + 100 * i, 0.4, rate, 5001));
      const Source source = recording(channels, rate);
      const auto split = split_all(source);
      ASSERT_EQ(split.size(), channels.size());
      for (int i = 0; i < num_channels; ++i) {
        EXPECT_EQ(split[static_cast<std::size_t>(i)], decode_all(source, {.channel = i})) << i;
      }
    }
  }
}

TEST(Channels, SplitOfPackedIntegersIsExact) {
  const auto data = raw<std::int16_t>({16384, 1, 0, -2, 8192, 3});
  const auto split = split_all(Source::memory(wav({.num_channels = 2}, data), "a"));
  EXPECT_EQ(split, (std::vector<std::vector<float>>{{0.5F, 0.0F, 0.25F},
                                                    {1 / 32768.0F, -2 / 32768.0F, 3 / 32768.0F}}));
}

TEST(Channels, BlocksOfAnySizeStayInStep) {
  const Source source = recording(call(44100), 44100);
  const auto expected = split_all(source);
  for (const std::size_t block : {7U, 4801U}) {
    Decoder decoder = Decoder::open(source, {.split = true});
    ASSERT_EQ(decoder.num_outputs(), 2);
    std::vector<std::vector<float>> sides(2);
    std::vector<float> left(block);
    std::vector<float> right(block);
    const std::span<float> outs[] = {left, right};
    while (const std::size_t count = decoder.read_channels(outs)) {
      sides[0].insert(sides[0].end(), left.begin(),
                      left.begin() + static_cast<std::ptrdiff_t>(count));
      sides[1].insert(sides[1].end(), right.begin(),
                      right.begin() + static_cast<std::ptrdiff_t>(count));
    }
    EXPECT_EQ(sides, expected) << block;
    EXPECT_EQ(decoder.report().num_samples, 32000);
    EXPECT_NEAR(decoder.report().covered_s, 2.0, 1e-9);
  }
}

TEST(Channels, OneIsAllAMonoInputSplitsInto) {
  const auto split = split_all(Source::file(test::audio_fixture("tone.mp3")));
  ASSERT_EQ(split.size(), 1U);
  EXPECT_EQ(split[0], decode_all(Source::file(test::audio_fixture("tone.mp3"))));
}

TEST(Channels, SplitKeepsSilenceForLossesOnEverySide) {
  const auto left = sine(440, 0.5, 44100, 44100);
  const Source source = recording({left, left}, 44100);
  const auto split = split_all(source);
  EXPECT_EQ(split[0], split[1]);
}

TEST(Channels, InverseSidesAreNotSilence) {
  const auto left = sine(440, 0.5, 44100, 44100);
  auto right = left;
  for (float& sample : right) sample = -sample;
  Decoder decoder = Decoder::open(recording({left, right}, 44100));
  std::vector<float> mixed(20000);
  mixed.resize(decoder.read(mixed));
  EXPECT_EQ(mixed, decode_all(recording({left}, 44100)));
  ASSERT_EQ(decoder.report().warnings.size(), 1U);
  EXPECT_EQ(
      decoder.report().warnings[0],
      "audio: call.wav: the two channels cancel each other (one is inverted?); for 1.00 s the "
      "left one alone was taken");
}

TEST(Channels, InverseSidesOfEveryStoredFormat) {
  const std::vector<std::int16_t> data = {16384, -16384, 8192, -8192, -4096, 4096};
  EXPECT_EQ(decode_all(Source::memory(wav({.num_channels = 2}, raw(data)), "a")),
            (std::vector<float>{0.5F, 0.25F, -0.125F}));
  const std::vector<std::uint8_t> bytes = {192, 64, 160, 96};
  EXPECT_EQ(decode_all(Source::memory(wav({.bits = 8, .num_channels = 2}, raw(bytes)), "a")),
            (std::vector<float>{0.5F, 0.25F}));
}

TEST(Channels, OneAndAllTogetherMakeNoSense) {
  const auto failure = test::failure_of(
      [] { Decoder::open(recording({{0.0F}}, 16000), {.channel = 0, .split = true}); });
  EXPECT_EQ(failure.code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace steno::audio
