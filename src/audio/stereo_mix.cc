#include "audio/stereo_mix.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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
  least_kept_ = std::min(least_kept_, part);
  left_alone_ = part < (left_alone_ ? kCancelledNoMore : kCancelled);
}

void StereoMix::mix_block(std::span<const float> left, std::span<const float> right,
                          std::vector<float>& out) {
  const bool before = left_alone_;
  observe(left, right);
  // What comes before the first sound is so quiet that no fade is needed.
  const bool first = heard_ ? before : left_alone_;
  heard_ = heard_ || recent_sides_ > 0;
  if (left_alone_) num_left_alone_ += std::ssize(left);
  const float from = first ? 1.0F : 0.0F;
  const float step = ((left_alone_ ? 1.0F : 0.0F) - from) / static_cast<float>(left.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    const float mean = 0.5F * left[i] + 0.5F * right[i];
    const float fade = from + step * static_cast<float>(i);
    out.push_back(fade == 1.0F ? left[i] : mean + fade * (left[i] - mean));
  }
}

void StereoMix::push(std::span<const float> left, std::span<const float> right,
                     std::vector<float>& out) {
  STENO_CHECK(left.size() == right.size());
  while (left_.size() + left.size() >= block_size_) {
    const std::size_t missing = block_size_ - left_.size();
    left_.insert(left_.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(missing));
    right_.insert(right_.end(), right.begin(),
                  right.begin() + static_cast<std::ptrdiff_t>(missing));
    mix_block(left_, right_, out);
    left_.clear();
    right_.clear();
    left = left.subspan(missing);
    right = right.subspan(missing);
  }
  left_.insert(left_.end(), left.begin(), left.end());
  right_.insert(right_.end(), right.begin(), right.end());
}

void StereoMix::flush(std::vector<float>& out) {
  if (left_.empty()) return;
  mix_block(left_, right_, out);
  left_.clear();
  right_.clear();
}

}  // namespace steno::audio
