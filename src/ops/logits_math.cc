#include "ops/logits_math.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/cpu/isa.h"

namespace steno::ops {
namespace {

constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

const cpu::Kernels& kernels() {
  static const cpu::Kernels chosen = cpu::make_kernels(cpu::choose_isa());
  return chosen;
}

bool is_better(const Scored& a, const Scored& b) {
  return a.value > b.value || (a.value == b.value && a.index < b.index);
}

}  // namespace

float log_sum_exp(std::span<const float> x) {
  const float max = kernels().max(x.data(), std::ssize(x));
  if (std::isinf(max)) return max;
  return max + std::log(kernels().sum_exp(x.data(), max, std::ssize(x)));
}

int argmax(std::span<const float> x) {
  if (x.empty()) return -1;
  const float max = kernels().max(x.data(), std::ssize(x));
  if (max == kMinusInfinity) return 0;
  const float below = std::nextafter(max, kMinusInfinity);
  return static_cast<int>(kernels().find_above(x.data(), below, std::ssize(x)));
}

std::vector<Scored> top_k(std::span<const float> x, int k) {
  const std::int64_t size = std::ssize(x);
  const auto wanted = static_cast<std::size_t>(std::clamp<std::int64_t>(k, 0, size));
  std::vector<Scored> best;  // sorted; a later value enters only if it is larger than the last
  best.reserve(wanted + 1);
  if (wanted == 0) return best;
  for (std::int64_t i = 0; i < size; ++i) {
    if (best.size() == wanted) i += kernels().find_above(x.data() + i, best.back().value, size - i);
    if (i == size) break;
    const Scored candidate{static_cast<int>(i), std::isnan(x[i]) ? kMinusInfinity : x[i]};
    best.insert(std::upper_bound(best.begin(), best.end(), candidate, is_better), candidate);
    if (best.size() > wanted) best.pop_back();
  }
  return best;
}

}  // namespace steno::ops
