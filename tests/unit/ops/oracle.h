// What the ops mean, in f64 and in the plainest loops, and the tools of their tests.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ops/cpu/cpu_ops.h"
#include "ops/cpu/isa.h"
#include "tensor/tensor.h"

namespace steno::ops::oracle {

using Values = std::vector<double>;

inline constexpr double kEps = std::numeric_limits<float>::epsilon();  // 2^-23

// Normal values, the same for a seed.
inline Tensor random(const Shape& shape, unsigned seed, float deviation = 1.0F) {
  Tensor t = Tensor::make(shape);
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;  // times a deviation, which may be 0
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    t.data<float>()[i] = deviation * normal(generator);
  }
  return t;
}

inline Values values_of(const Tensor& t) {
  return Values(t.data<float>(), t.data<float>() + t.num_elements());
}

inline double norm(std::span<const double> x) {
  double sum = 0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

// The largest |a - b|.
inline double distance(const Tensor& a, const Values& b) {
  EXPECT_EQ(a.num_elements(), std::ssize(b));
  double largest = 0;
  for (std::int64_t i = 0; i < a.num_elements(); ++i) {
    const double d = std::abs(a.data<float>()[i] - b[i]);
    if (!(d <= largest)) largest = d;  // NaN stays
  }
  return largest;
}

inline double max_magnitude(std::span<const double> x) {
  double largest = 0;
  for (const double v : x) largest = std::max(largest, std::abs(v));
  return largest;
}

inline double gelu(double x) {
  return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
}

inline double round_to_bf16(double x) {
  return bf16_to_f32(f32_to_bf16(static_cast<float>(x)));
}

// x [M, K] . w [N, K]^T + bias
inline Values linear(const Values& x, const Values& w, const Values& bias, std::int64_t k) {
  const std::int64_t n = std::ssize(w) / k;
  const std::int64_t m = std::ssize(x) / k;
  Values out(m * n);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      double sum = bias.empty() ? 0 : bias[j];
      for (std::int64_t l = 0; l < k; ++l) sum += x[i * k + l] * w[j * k + l];
      out[i * n + j] = sum;
    }
  }
  return out;
}

// The rows of x as int8 does see them: rint(x * 127 / amax) * amax / 127.
inline Values quantised(const Values& x, std::int64_t k) {
  Values out(x.size());
  for (std::size_t r = 0; r < x.size(); r += k) {
    float amax = 0;
    for (std::int64_t i = 0; i < k; ++i)
      amax = std::max(amax, std::abs(static_cast<float>(x[r + i])));
    const float scale = amax == 0 ? 1.0F : 127.0F / amax;
    for (std::int64_t i = 0; i < k; ++i) {
      out[r + i] =
          std::nearbyint(static_cast<float>(x[r + i]) * scale) / static_cast<double>(scale);
    }
  }
  return out;
}

// The rows of x as the VNNI form of int8 sees activations: 254 steps from the lowest value (or 0)
// to the highest, one of which is 0.
inline Values quantised_range(const Values& x, std::int64_t k) {
  Values out(x.size());
  for (std::size_t r = 0; r < x.size(); r += k) {
    float low = 0;
    float high = 0;
    for (std::int64_t i = 0; i < k; ++i) {
      low = std::min(low, static_cast<float>(x[r + i]));
      high = std::max(high, static_cast<float>(x[r + i]));
    }
    const float scale = high == low ? 1.0F : 254.0F / (high - low);
    for (std::int64_t i = 0; i < k; ++i) {
      out[r + i] =
          std::nearbyint(static_cast<float>(x[r + i]) * scale) / static_cast<double>(scale);
    }
  }
  return out;
}

inline Values quantised_activations(const Values& x, std::int64_t k, const cpu::IsaChoice& isa) {
  return isa.vnni ? quantised_range(x, k) : quantised(x, k);
}

// One head: q [T, E], k and v [S, E]; row t sees the first num_keys(t) keys.
template <class NumKeys>
Values attention(const Values& q, const Values& k, const Values& v, std::int64_t e, double scale,
                 NumKeys num_keys) {
  Values out(q.size());
  for (std::int64_t t = 0; t < std::ssize(q) / e; ++t) {
    Values scores(num_keys(t));
    double max = -std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < scores.size(); ++s) {
      for (std::int64_t i = 0; i < e; ++i) scores[s] += q[t * e + i] * k[s * e + i];
      scores[s] *= scale;
      max = std::max(max, scores[s]);
    }
    double sum = 0;
    for (double& s : scores) sum += s = std::exp(s - max);
    for (std::size_t s = 0; s < scores.size(); ++s) {
      for (std::int64_t i = 0; i < e; ++i) out[t * e + i] += scores[s] / sum * v[s * e + i];
    }
  }
  return out;
}

// Columns [begin, begin + size) of rows of `width`.
inline Values columns(const Values& x, std::int64_t width, std::int64_t begin, std::int64_t size) {
  Values out;
  for (std::size_t r = 0; r < x.size(); r += width) {
    out.insert(out.end(), x.begin() + r + begin, x.begin() + r + begin + size);
  }
  return out;
}

// A test runs once for each instruction set of this CPU: INSTANTIATE_TEST_SUITE_P(..., each_isa(),
// isa_name).
inline auto each_isa() {
  return testing::ValuesIn(cpu::available_isas());
}
inline std::string isa_name(const testing::TestParamInfo<cpu::IsaChoice>& info) {
  std::string text(cpu::name(info.param.isa));
  if (info.param.vnni) text += "_vnni";
  if (info.param.bf16) text += "_bf16";
  return text;
}

}  // namespace steno::ops::oracle
