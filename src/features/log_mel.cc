#include "features/log_mel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "base/check.h"

namespace steno::features {
namespace {

constexpr int kReflected = kFrameSamples / 2;
constexpr int kGroupSamples = kFrameSamples + (kLanes - 1) * kHopSamples;
constexpr int kGroupHop = kLanes * kHopSamples;
// push() feeds long blocks through in slices of this size, so that pending_ stays in the L2 cache.
constexpr std::size_t kSliceSamples = 16384;

// torch.hann_window(400), periodic.
// TRAP: torch computes it in f32, up to 2.5e-7 off the formula. Between the harmonics of a loud
// tone that is as much as all other rounding, so a window from double would double the distance to
// the reference.
std::vector<float> hann_window() {
  constexpr float kPhaseStep = static_cast<float>(2.0 * std::numbers::pi / kFrameSamples);
  std::vector<float> window;
  for (int n = 0; n < kFrameSamples; ++n) {
    const float phase = static_cast<float>(n) * kPhaseStep;
    window.push_back(0.5F - 0.5F * static_cast<float>(std::cos(double{phase})));
  }
  return window;
}

// log10(max(x, 1e-10)) to the last bit or two; NaN gives some finite value. Plain arithmetic on the
// bits, so that a loop over it becomes SIMD: libm's log10f would take longer than the transform.
// ln(1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1), is the polynomial of Cephes logf.
inline float log10_floored(float x) {
  constexpr std::uint32_t kSqrtHalfBits = 0x3f3504f3;
  constexpr float kLog10E = 0.43429448190325182765F;
  constexpr float kLog10Of2High = 0.301025390625F;  // 12 bits: times an exponent it is exact
  constexpr float kLog10Of2Low = 4.6050389811952137e-6F;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::int32_t exponent = static_cast<std::int32_t>(bits - kSqrtHalfBits) >> 23;
  const std::uint32_t mantissa = bits - (static_cast<std::uint32_t>(exponent) << 23);
  const float f = std::bit_cast<float>(mantissa) - 1.0F;
  float p = 7.0376836292e-2F;
  p = p * f - 1.1514610310e-1F;
  p = p * f + 1.1676998740e-1F;
  p = p * f - 1.2420140846e-1F;
  p = p * f + 1.4249322787e-1F;
  p = p * f - 1.6668057665e-1F;
  p = p * f + 2.0000714765e-1F;
  p = p * f - 2.4999993993e-1F;
  p = p * f + 3.3333331174e-1F;
  const float square = f * f;
  const float ln = f + (p * f * square - 0.5F * square);
  const float e = static_cast<float>(exponent);
  const float log10 = e * kLog10Of2High + (e * kLog10Of2Low + ln * kLog10E);
  return log10 > kSilence ? log10 : kSilence;
}

// Eight overlapping frames of consecutive samples, windowed, side by side.
void cut_frames(const float* samples, const std::vector<float>& window, FrameLanes& frames) {
  float* out = frames.data();
  for (int n = 0; n < kFrameSamples; ++n, out += kLanes) {
    const float weight = window[static_cast<std::size_t>(n)];
    for (int lane = 0; lane < kLanes; ++lane) out[lane] = samples[lane * kHopSamples + n] * weight;
  }
}

}  // namespace

LogMel::LogMel(int num_mels) : filterbank_(num_mels), window_(hann_window()) {}

std::span<const float> LogMel::push(std::span<const float> pcm) {
  STENO_CHECK(!finished_);
  frames_.clear();
  num_samples_ += static_cast<std::int64_t>(pcm.size());
  while (!pcm.empty()) {
    const std::size_t size = std::min(pcm.size(), kSliceSamples);
    consume(pcm.first(size));
    pcm = pcm.subspan(size);
  }
  return frames_;
}

std::span<const float> LogMel::finish() {
  STENO_CHECK(!finished_);
  finished_ = true;
  frames_.clear();
  // Frame t sees a sample if 160 t - 200 < num_samples.
  const std::int64_t total = (num_samples_ + kReflected + kHopSamples - 1) / kHopSamples;
  const std::int64_t left = total - num_frames_;
  const std::array<float, kGroupSamples + kGroupHop> zeros{};
  consume(zeros);
  frames_.resize(static_cast<std::size_t>(left * num_mels()));
  return frames_;
}

// Turns every whole group of frames into mels.
void LogMel::consume(std::span<const float> samples) {
  pending_.insert(pending_.end(), samples.begin(), samples.end());
  if (!started_) {
    if (pending_.size() <= kReflected) return;
    reflect_start();
  }
  std::size_t begin = 0;
  for (; pending_.size() - begin >= kGroupSamples; begin += kGroupHop) {
    process_group(pending_.data() + begin);
  }
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(begin));
}

// x[200] .. x[1] in front of x[0].
void LogMel::reflect_start() {
  std::array<float, kReflected> reflection;
  std::reverse_copy(pending_.begin() + 1, pending_.begin() + 1 + kReflected, reflection.begin());
  pending_.insert(pending_.begin(), reflection.begin(), reflection.end());
  started_ = true;
}

// Appends kLanes frames, the first of which begins at samples[0].
void LogMel::process_group(const float* samples) {
  alignas(64) FrameLanes frames;
  alignas(64) PowerLanes power;
  alignas(64) std::array<float, std::size_t{kNumBins} * kLanes>
      mel;  // [num_mels][8], num_mels <= 201
  const std::size_t size = static_cast<std::size_t>(num_mels()) * kLanes;
  cut_frames(samples, window_, frames);
  spectrum_.transform(frames, power);
  filterbank_.apply(power, std::span(mel).first(size));
  for (std::size_t i = 0; i < size; ++i) mel[i] = log10_floored(mel[i]);
  append_transposed(mel.data());
  num_frames_ += kLanes;
}

// [num_mels][8] -> 8 rows of num_mels.
void LogMel::append_transposed(const float* mel) {
  const std::size_t mels = static_cast<std::size_t>(num_mels());
  const std::size_t begin = frames_.size();
  frames_.resize(begin + mels * kLanes);
  float* out = frames_.data() + begin;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    for (std::size_t m = 0; m < mels; ++m) *out++ = mel[m * kLanes + lane];
  }
}

void normalise(std::span<float> log_mel, float maximum) {
  const float floor = maximum - kDynamicRange;
  for (float& x : log_mel) x = ((x > floor ? x : floor) + 4.0F) / 4.0F;
}

float maximum(std::span<const float> log_mel) {
  // Eight running maxima: a single one would be a chain of dependent compares that no SIMD can
  // split.
  float largest[kLanes];
  std::fill_n(largest, kLanes, kSilence);
  std::size_t i = 0;
  for (; i + kLanes <= log_mel.size(); i += kLanes) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      largest[j] = log_mel[i + j] > largest[j] ? log_mel[i + j] : largest[j];
    }
  }
  for (; i < log_mel.size(); ++i) largest[0] = std::max(largest[0], log_mel[i]);
  return *std::max_element(largest, largest + kLanes);
}

Tensor log_mel_padded(std::span<const float> pcm, int num_mels) {
  std::vector<float> padded(kWindowSamples + kReflected);
  std::copy_n(pcm.begin(), std::min<std::size_t>(pcm.size(), kWindowSamples), padded.begin());
  const auto end = padded.begin() + kWindowSamples;
  std::reverse_copy(end - 1 - kReflected, end - 1, end);

  Tensor window = Tensor::make({kWindowFrames, num_mels});
  LogMel log_mel(num_mels);
  const std::span rows(window.data<float>(), static_cast<std::size_t>(window.num_elements()));
  std::ranges::copy(log_mel.push(padded).first(rows.size()), rows.begin());
  normalise(rows, maximum(rows));
  return window;
}

Tensor log_mel_window(std::span<const float> pcm, int num_mels, std::int64_t num_frames) {
  Tensor window = Tensor::zeros({num_frames, num_mels});
  const std::span rows(window.data<float>(), static_cast<std::size_t>(window.num_elements()));
  LogMel log_mel(num_mels);
  std::size_t filled = 0;
  const auto take = [&](std::span<const float> frames) {
    const std::size_t size = std::min(frames.size(), rows.size() - filled);
    std::copy_n(frames.begin(), size, rows.begin() + static_cast<std::ptrdiff_t>(filled));
    filled += size;
  };
  take(log_mel.push(
      pcm.first(std::min(pcm.size(), static_cast<std::size_t>(num_frames * kHopSamples)))));
  take(log_mel.finish());
  const float loudest = maximum(rows.first(filled));
  const auto content = static_cast<std::size_t>(log_mel.content_frames() * num_mels);
  normalise(rows.first(std::min(content, filled)), loudest);
  std::fill(rows.begin() + static_cast<std::ptrdiff_t>(std::min(content, filled)),
            rows.begin() + static_cast<std::ptrdiff_t>(filled), 0.0F);
  return window;
}

}  // namespace steno::features
