#include "audio/stereo_mix.h"

#include <cmath>

#include "base/check.h"

namespace steno::audio {

void StereoMix::observe(std::span<const float> left, std::span<const float> right) {
  double sides = 0;
  double mean = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double l = left[i];
    const double r = right[i];
    sides += 0.5 * (l * l + r * r);
    mean += 0.25 * (l + r) * (l + r);
  }
  const auto count = static_cast<double>(left.size());
  if (sides <= kAudible * count) return;
  const double kept = std::exp(-count / (kMemory_s * rate_hz_));
  recent_sides_ = kept * recent_sides_ + sides;
  recent_mean_ = kept * recent_mean_ + mean;
  const double part = recent_mean_ / recent_sides_;
  left_alone_ = part < (left_alone_ ? kCancelledNoMore : kCancelled);
}

void StereoMix::mix(std::span<const float> left, std::span<const float> right,
                    std::span<float> out) {
  STENO_CHECK(left.size() == right.size() && left.size() == out.size());
  const bool before = left_alone_;
  observe(left, right);
  // What comes before the first sound is so quiet that no fade is needed.
  const bool first = heard_ ? before : left_alone_;
  heard_ = heard_ || recent_sides_ > 0;
  if (left_alone_) num_left_alone_ += static_cast<std::int64_t>(out.size());
  const float step = (left_alone_ ? 1.0F : 0.0F) - (first ? 1.0F : 0.0F);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const float mean = 0.5F * left[i] + 0.5F * right[i];
    const float fade =
        (first ? 1.0F : 0.0F) + step * (static_cast<float>(i) / static_cast<float>(out.size()));
    out[i] = fade == 1.0F ? left[i] : mean + fade * (left[i] - mean);
  }
}

}  // namespace steno::audio
