#include "features/mel_filterbank.h"

#include <algorithm>
#include <cmath>

#include "audio/pcm.h"
#include "base/check.h"

namespace steno::features {
namespace {

constexpr double kBinHz = double{audio::kSampleRate} / kFrameSamples;
constexpr double kTopHz = audio::kSampleRate / 2.0;
// Below this share of the peak a weight is the rounding error of an edge that falls on a bin.
constexpr double kEdge = 1e-9;

// Slaney's scale: linear up to 1000 Hz (15 mels), then 27 mels for every factor of 6.4.
constexpr double kHzPerMel = 200.0 / 3.0;
constexpr double kLogStartHz = 1000.0;
constexpr double kLogStartMel = kLogStartHz / kHzPerMel;
const double kLogStep = std::log(6.4) / 27.0;

double hz_to_mel(double hz) {
  return hz < kLogStartHz ? hz / kHzPerMel : kLogStartMel + std::log(hz / kLogStartHz) / kLogStep;
}

double mel_to_hz(double mel) {
  return mel < kLogStartMel ? mel * kHzPerMel
                            : kLogStartHz * std::exp(kLogStep * (mel - kLogStartMel));
}

// The sums stay in memory: with a local array of sums GCC 12 vectorises over the weights instead,
// and spends twice the time on shuffles.
inline void add_scaled(float weight, const float* __restrict from, float* __restrict to) {
  for (int lane = 0; lane < kLanes; ++lane) to[lane] += weight * from[lane];
}

}  // namespace

MelFilterbank::MelFilterbank(int num_mels) {
  STENO_CHECK(num_mels >= 1 && num_mels <= kNumBins, "{} mel bins", num_mels);
  const double mel_step = hz_to_mel(kTopHz) / (num_mels + 1);
  for (int mel = 0; mel < num_mels; ++mel) {
    const double left = mel_to_hz(mel_step * mel);
    const double peak = mel_to_hz(mel_step * (mel + 1));
    const double right = mel_to_hz(mel_step * (mel + 2));
    const double area_norm = 2.0 / (right - left);
    Filter filter{0, weights_.size(), 0};
    for (int bin = 0; bin < kNumBins; ++bin) {
      const double hz = bin * kBinHz;
      const double weight = std::min((hz - left) / (peak - left), (right - hz) / (right - peak));
      if (weight < kEdge) continue;
      if (filter.num_weights == 0) filter.first_bin = bin;
      // librosa keeps the triangle in f32 before it scales it; the last bit follows from that.
      weights_.push_back(static_cast<float>(static_cast<float>(weight) * area_norm));
      ++filter.num_weights;
    }
    filters_.push_back(filter);
  }
}

std::span<const float> MelFilterbank::weights(int mel) const {
  const Filter& filter = filters_[static_cast<std::size_t>(mel)];
  return std::span(weights_).subspan(filter.first_weight, filter.num_weights);
}

void MelFilterbank::apply(const PowerLanes& power, std::span<float> mel) const {
  STENO_CHECK(mel.size() == filters_.size() * kLanes, "{} floats", mel.size());
  float* __restrict out = mel.data();
  for (const Filter& filter : filters_) {
    const float* weight = weights_.data() + filter.first_weight;
    const float* bins = power.data() + filter.first_bin * kLanes;
    std::fill_n(out, kLanes, 0.0F);
    for (std::size_t i = 0; i < filter.num_weights; ++i) {
      add_scaled(weight[i], bins + i * kLanes, out);
    }
    out += kLanes;
  }
}

}  // namespace steno::features
