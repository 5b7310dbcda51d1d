#include "features/mel_filterbank.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "unit/features/naive_log_mel.h"

namespace steno::features {
namespace {

float weight(const MelFilterbank& filters, int mel, int bin) {
  const std::span<const float> run = filters.weights(mel);
  const int i = bin - filters.first_bin(mel);
  return i < 0 || i >= static_cast<int>(run.size()) ? 0.0F : run[static_cast<std::size_t>(i)];
}

TEST(MelFilterbank, EqualsOpenAisFile) {
  // whisper/assets/mel_filters.npz, v20250625: arrays mel_80 and mel_128.
  struct Entry {
    int num_mels, mel, bin;
    float weight;
  };
  constexpr Entry kEntries[] = {
      {80, 0, 1, 0.0248625949F},
      {80, 1, 1, 0.00199082191F},
      {80, 1, 2, 0.0228717718F},
      {80, 26, 25, 0.0221142173F},
      {80, 26, 26, 0.00331860594F},
      {80, 40, 42, 0.00541110476F},
      {80, 40, 43, 0.0147355665F},
      {80, 78, 179, 0.000384981191F},
      {80, 78, 186, 0.00313276309F},
      {80, 79, 186, 0.000366741675F},
      {80, 79, 193, 0.00314131333F},
      {80, 0, 0, 0.0F},
      {80, 79, 200, 0.0F},
      {128, 0, 1, 0.0123739867F},
      {128, 1, 1, 0.0303925648F},
      {128, 42, 25, 0.0316114612F},
      {128, 64, 42, 0.00674968259F},
      {128, 64, 43, 0.0180915184F},
      {128, 126, 187, 0.00114698056F},
      {128, 126, 191, 0.00495198462F},
      {128, 127, 191, 0.000475695095F},
      {128, 127, 195, 0.0050416016F},
      {128, 127, 200, 0.0F},
  };
  const MelFilterbank mel80(80), mel128(128);
  for (const Entry& e : kEntries) {
    EXPECT_NEAR(weight(e.num_mels == 80 ? mel80 : mel128, e.mel, e.bin), e.weight, 3e-9)
        << e.num_mels << " mels, filter " << e.mel << ", bin " << e.bin;
  }
}

TEST(MelFilterbank, EqualsTheDefinition) {
  for (const auto& [num_mels, num_weights] : {std::pair(80, 391), std::pair(128, 394)}) {
    const MelFilterbank filters(num_mels);
    ASSERT_EQ(filters.num_mels(), num_mels);
    const auto expected = testing::naive_filters(num_mels);
    int count = 0;
    for (int mel = 0; mel < num_mels; ++mel) {
      count += static_cast<int>(filters.weights(mel).size());
      for (int bin = 0; bin < kNumBins; ++bin) {
        EXPECT_NEAR(weight(filters, mel, bin), expected[mel][bin], 3e-9) << mel << ' ' << bin;
      }
    }
    EXPECT_EQ(count, num_weights);  // as many as are not zero in OpenAI's file
  }
}

TEST(MelFilterbank, AppliesEveryWeightInEveryLane) {
  const MelFilterbank filters(128);
  PowerLanes power;
  for (std::size_t i = 0; i < power.size(); ++i) power[i] = static_cast<float>(i * 7919 % 1000) + 1;
  std::vector<float> mel(std::size_t{128} * kLanes);
  filters.apply(power, mel);
  for (int m = 0; m < 128; ++m) {
    for (int lane = 0; lane < kLanes; ++lane) {
      double expected = 0;
      for (int k = 0; k < kNumBins; ++k) {
        expected += double{weight(filters, m, k)} * power[k * kLanes + lane];
      }
      EXPECT_NEAR(mel[m * kLanes + lane], expected, expected * 1e-6);
    }
  }
}

}  // namespace
}  // namespace steno::features
