#include "unit/features/naive_log_mel.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace steno::features::testing {
namespace {

constexpr int kSize = 400;
constexpr int kHop = 160;
constexpr int kBins = 201;

double slaney_hz(double mel) {
  return mel < 15 ? mel * 200 / 3 : 1000 * std::exp((mel - 15) * std::log(6.4) / 27);
}

// The reference's window is torch's, rounded to f32 at every step.
double hann(int n) {
  const float phase = static_cast<float>(n) * static_cast<float>(2 * std::numbers::pi / kSize);
  return 0.5F - 0.5F * static_cast<float>(std::cos(static_cast<double>(phase)));
}

}  // namespace

std::vector<double> naive_power(std::span<const double> x) {
  static const std::vector<double> cosine = [] {
    std::vector<double> table(kSize);
    for (int i = 0; i < kSize; ++i) table[i] = std::cos(2 * std::numbers::pi * i / kSize);
    return table;
  }();
  std::vector<double> power;
  for (int k = 0; k < kBins; ++k) {
    double re = 0, im = 0;
    for (int n = 0; n < kSize; ++n) {
      re += x[n] * cosine[k * n % kSize];
      im += x[n] * cosine[(k * n + kSize / 4) % kSize];
    }
    power.push_back(re * re + im * im);
  }
  return power;
}

std::vector<std::vector<double>> naive_filters(int num_mels) {
  const double top = 15 + std::log(8000.0 / 1000.0) * 27 / std::log(6.4);
  std::vector<double> hz;
  for (int i = 0; i < num_mels + 2; ++i) hz.push_back(slaney_hz(top * i / (num_mels + 1)));
  std::vector<std::vector<double>> filters(num_mels, std::vector<double>(kBins));
  for (int m = 0; m < num_mels; ++m) {
    for (int k = 0; k < kBins; ++k) {
      const double lower = (40.0 * k - hz[m]) / (hz[m + 1] - hz[m]);
      const double upper = (hz[m + 2] - 40.0 * k) / (hz[m + 2] - hz[m + 1]);
      filters[m][k] = std::max(0.0, std::min(lower, upper)) * 2 / (hz[m + 2] - hz[m]);
    }
  }
  return filters;
}

std::vector<double> naive_log_mel(std::span<const float> pcm, int num_mels, int first_frame,
                                  int end_frame) {
  const auto filters = naive_filters(num_mels);
  const int size = static_cast<int>(pcm.size());
  std::vector<double> log_mel;
  std::vector<double> frame(kSize);
  for (int t = first_frame; t < end_frame; ++t) {
    for (int n = 0; n < kSize; ++n) {
      int i = std::abs(t * kHop + n - kSize / 2);
      if (i >= size) i = 2 * (size - 1) - i;
      frame[n] = pcm[i] * hann(n);
    }
    const std::vector<double> power = naive_power(frame);
    for (const auto& filter : filters) {
      double mel = 0;
      for (int k = 0; k < kBins; ++k) mel += filter[k] * power[k];
      log_mel.push_back(std::log10(std::max(mel, 1e-10)));
    }
  }
  return log_mel;
}

std::vector<float> test_signal(int num_samples, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> pcm(num_samples);
  for (int i = 0; i < num_samples; ++i) {
    const double loudness = std::pow(10.0, -2.0 + 1.5 * std::sin(i / 5000.0));
    const double noise = static_cast<double>(random()) / 4294967296.0 - 0.5;
    const double tones =
        std::sin(i * 0.11) + 0.3 * std::sin(i * 0.73 + 2) + 0.1 * std::sin(i * 1.9);
    pcm[i] = static_cast<float>(loudness * (0.4 * noise + 0.5 * tones));
  }
  return pcm;
}

}  // namespace steno::features::testing
