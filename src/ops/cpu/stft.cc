#include "ops/cpu/stft.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace steno::ops::cpu {
namespace {

// Groups that one piece takes: some 20 us of work.
constexpr std::size_t kPieceGroups = 8;

}  // namespace

const Stft::Circle& Stft::circle(std::int64_t size) {
  Circle& circle = circles_[size];
  for (std::int64_t k = std::ssize(circle.cosines); k <= size / 2; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
    circle.cosines.push_back(static_cast<float>(std::cos(angle)));
    circle.sines.push_back(static_cast<float>(std::sin(angle)));
  }
  return circle;
}

void Stft::magnitudes(const Tensor& x, const Tensor& window, std::int64_t hop,
                      std::int64_t num_frames, float* out) {
  const std::int64_t size = window.num_elements();
  const Circle& c = circle(size);
  const FourierTables tables{size, window.data<float>(), c.cosines.data(), c.sines.data()};
  const std::int64_t lanes = kernels_.frame_lanes;
  const std::int64_t total = x.dim(0) * num_frames;
  const std::int64_t work_floats = magnitude_work_floats(size, lanes);
  float* work = work_.take_floats(work_floats * pool_.num_threads());
  const auto group = [&](std::int64_t first, int worker) {
    std::array<const float*, kMaxFrameLanes> frames{};
    const std::int64_t count = std::min(lanes, total - first);
    for (std::int64_t i = 0; i < count; ++i) {
      frames[i] =
          x.data<float>() + (first + i) / num_frames * x.dim(1) + (first + i) % num_frames * hop;
    }
    kernels_.magnitudes(tables, frames.data(), static_cast<int>(count), work + worker * work_floats,
                        out + first * (size / 2 + 1));
  };
  pool_.parallel_for((total + lanes - 1) / lanes, kPieceGroups,
                     [&](std::size_t begin, std::size_t end, int worker) {
                       for (std::size_t g = begin; g < end; ++g) {
                         group(static_cast<std::int64_t>(g) * lanes, worker);
                       }
                     });
}

}  // namespace steno::ops::cpu
