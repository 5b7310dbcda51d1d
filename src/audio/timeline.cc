#include "audio/timeline.h"

#include <cmath>
#include <utility>

namespace steno::audio {

std::int64_t Timeline::gap_before(std::optional<double> pts_s, bool after_loss) {
  if (!pts_s || !std::isfinite(*pts_s)) return 0;
  const auto restart_clock = [&] { origin_s_ = *pts_s - position_s(); };
  const bool first = std::exchange(first_, false);
  // The start that a container states is off by the codec's delay, or by the rounding of its clock.
  if (!origin_s_ || (first && std::abs(*pts_s - *origin_s_) < kMinGap_s)) restart_clock();
  const double lag_s = *pts_s - *origin_s_ - position_s();
  if (lag_s < -kMaxAhead_s) restart_clock();
  if (lag_s <= 0 || (lag_s < kMinGap_s && !after_loss)) return 0;
  if (lag_s > kMaxGap_s || gap_sum_s_ + lag_s > kMaxGapSum_s) {
    restart_clock();
    ++num_jumps_;
    return 0;
  }
  if (!first) gap_sum_s_ += lag_s;
  return std::llround(lag_s * kSampleRate);
}

}  // namespace steno::audio
