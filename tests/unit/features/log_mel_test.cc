#include "features/log_mel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "unit/features/naive_log_mel.h"

namespace steno::features {
namespace {

using testing::naive_log_mel;
using testing::test_signal;

// All frames of LogMel, fed in blocks of `block` samples.
std::vector<float> stream(std::span<const float> pcm, int num_mels, std::size_t block) {
  LogMel log_mel(num_mels);
  std::vector<float> frames;
  const auto take = [&](std::span<const float> rows) {
    frames.insert(frames.end(), rows.begin(), rows.end());
  };
  for (std::size_t i = 0; i < pcm.size(); i += block) {
    take(log_mel.push(pcm.subspan(i, std::min(block, pcm.size() - i))));
  }
  take(log_mel.finish());
  EXPECT_EQ(log_mel.num_samples(), static_cast<std::int64_t>(pcm.size()));
  EXPECT_EQ(log_mel.content_frames(), static_cast<std::int64_t>(pcm.size() / 160));
  return frames;
}

std::vector<float> with_zeros(std::vector<float> pcm, std::size_t num_zeros) {
  pcm.resize(pcm.size() + num_zeros);
  return pcm;
}

// A bin that the frame's loudest parts drown is only as exact as f32 lets an FFT be, in any
// implementation: errors are measured after the normalisation, as the model sees them.
double largest_error(std::span<const float> got, std::span<const double> expected, double largest) {
  double error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double want = (std::max(expected[i], largest - 8) + 4) / 4;
    error = std::max(error, std::abs(got[i] - want));
  }
  return error;
}

class BothSizes : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Mels, BothSizes, ::testing::Values(80, 128));

TEST_P(BothSizes, EqualsTheDefinition) {
  const std::vector<float> pcm = test_signal(16000 * 3 + 77);
  std::vector<float> frames = stream(pcm, GetParam(), 5000);
  const int num_frames = static_cast<int>(frames.size()) / GetParam();
  ASSERT_EQ(num_frames, 302);  // 300 whole hops and two more frames that see the end
  const std::vector<double> expected =
      naive_log_mel(with_zeros(pcm, 1000), GetParam(), 0, num_frames);
  const float largest = maximum(frames);
  EXPECT_NEAR(largest, *std::ranges::max_element(expected), 1e-6);
  normalise(frames, largest);
  EXPECT_LE(largest_error(frames, expected, largest), 1e-5);
}

TEST_P(BothSizes, GivesTheSameBitsForAnyBlockSize) {
  const std::vector<float> pcm = test_signal(40123);
  const std::vector<float> expected = stream(pcm, GetParam(), pcm.size());
  for (const std::size_t block : {1U, 7U, 160U, 400U, 4096U}) {
    EXPECT_EQ(stream(pcm, GetParam(), block), expected) << "blocks of " << block;
  }
}

TEST(LogMel, TakesShortAudioOfAnyLength) {
  for (int size = 0; size <= 500; ++size) {
    // From a heap block of exactly this size, so that the sanitizer sees every step outside of it.
    const std::vector<float> pcm = test_signal(size);
    std::vector<float> frames = stream(pcm, 80, std::max(1, size));
    const int num_frames = static_cast<int>(frames.size()) / 80;
    ASSERT_EQ(num_frames, (size + 200 + 159) / 160);
    const std::vector<double> expected = naive_log_mel(with_zeros(pcm, 1000), 80, 0, num_frames);
    const float largest = maximum(frames);
    normalise(frames, largest);
    ASSERT_LE(largest_error(frames, expected, largest), 1e-5) << size << " samples";
  }
}

TEST(LogMel, MakesEveryFrameThatSeesASample) {
  const std::vector<float> pcm = test_signal(16000 + 119);
  const std::vector<float> frames = stream(pcm, 80, 16119);
  const std::vector<double> further = naive_log_mel(with_zeros(pcm, 1000), 80, 0, 104);
  const std::size_t num_frames = frames.size() / 80;
  EXPECT_EQ(num_frames, 102U);
  for (std::size_t i = frames.size(); i < further.size(); ++i) EXPECT_EQ(further[i], -10.0);
}

TEST(LogMel, GivesTheFloorForDigitalSilence) {
  for (const float x : stream(std::vector<float>(5000), 128, 777)) ASSERT_EQ(x, kSilence);
  const Tensor window = log_mel_padded(std::vector<float>(5000), 80);
  // (max(-10, -10 - 8) + 4) / 4
  for (std::int64_t i = 0; i < window.num_elements(); ++i)
    ASSERT_EQ(window.data<float>()[i], -1.5F);
}

TEST(LogMel, SurvivesNumbersThatAreNone) {
  std::vector<float> pcm = test_signal(3000);
  pcm[1000] = std::numeric_limits<float>::quiet_NaN();
  pcm[2000] = -std::numeric_limits<float>::infinity();
  pcm[2500] = std::numeric_limits<float>::max();
  for (const float x : stream(pcm, 80, 1000)) ASSERT_TRUE(std::isfinite(x));
}

TEST(LogMelPadded, EqualsTheDefinition) {
  const std::vector<float> pcm = test_signal(48000);
  const Tensor window = log_mel_padded(pcm, 80);
  ASSERT_EQ(window.shape(), (Shape{3000, 80}));
  const std::vector<double> expected = naive_log_mel(with_zeros(pcm, 432000), 80, 0, 303);
  const double largest = *std::ranges::max_element(expected);
  EXPECT_LE(largest_error({window.data<float>(), expected.size()}, expected, largest), 1e-5);
  const float silence = window.data<float>()[302 * 80];
  EXPECT_NEAR(silence, (largest - 8 + 4) / 4, 1e-6);
  for (int i = 302 * 80; i < 3000 * 80; ++i) ASSERT_EQ(window.data<float>()[i], silence);
}

TEST(LogMelPadded, CutsLongAudioAndReflectsItsEnd) {
  std::vector<float> pcm = test_signal(480000 + 12345);
  // The loudest frame lies in the stretch that is compared, and what is cut off is louder still.
  for (int i = 478000; i < 480000; ++i) pcm[i] *= 30;
  for (int i = 480000; i < 492345; ++i) pcm[i] *= 1000;
  const Tensor window = log_mel_padded(pcm, 128);
  ASSERT_EQ(window.shape(), (Shape{3000, 128}));
  const std::span<const float> cut = std::span(pcm).first(480000);
  const std::vector<double> expected = naive_log_mel(cut, 128, 2960, 3000);
  const double largest = *std::ranges::max_element(expected);
  const float* rows = window.data<float>() + 2960 * 128;
  EXPECT_LE(largest_error({rows, expected.size()}, expected, largest), 1e-5);
}

TEST(Maximum, LooksAtEveryNumber) {
  for (std::size_t size = 0; size < 20; ++size) {
    EXPECT_EQ(maximum(std::vector<float>(size, -12.0F)), kSilence);
    for (std::size_t i = 0; i < size; ++i) {
      std::vector<float> numbers(size, -3.0F);
      numbers[i] = 1.5F;
      EXPECT_EQ(maximum(numbers), 1.5F);
    }
  }
}

TEST(Normalise, RaisesWhatIsEightBelowTheMaximum) {
  std::vector<float> numbers = {2.0F, 0.0F, -6.0F, -7.0F, -10.0F};
  normalise(numbers, 2.0F);
  EXPECT_EQ(numbers, (std::vector<float>{1.5F, 1.0F, -0.5F, -0.5F, -0.5F}));
}

}  // namespace
}  // namespace steno::features
