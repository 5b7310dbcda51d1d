#include "models/whisper/time_warp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace steno::models::whisper {
namespace {

constexpr std::int64_t kReach = 3;  // neighbours to each side

void sort_pair(float& low, float& high) {
  const float smaller = std::min(low, high);
  high = std::max(low, high);
  low = smaller;
}

// A network of 13 exchanges that leaves the fourth smallest in the middle; without branches, so
// that the compiler makes vectors of it. Source: Devillard, Fast median search (1998), opt_med7.
float median_of_7(std::array<float, 7> p) {
  sort_pair(p[0], p[5]);
  sort_pair(p[0], p[3]);
  sort_pair(p[1], p[6]);
  sort_pair(p[2], p[4]);
  sort_pair(p[0], p[1]);
  sort_pair(p[3], p[5]);
  sort_pair(p[2], p[6]);
  sort_pair(p[2], p[3]);
  sort_pair(p[3], p[6]);
  sort_pair(p[4], p[5]);
  sort_pair(p[1], p[4]);
  sort_pair(p[1], p[3]);
  sort_pair(p[3], p[4]);
  return p[3];
}

}  // namespace

HeadMean::HeadMean(std::int64_t rows, std::int64_t columns)
    : rows_(rows), columns_(columns), sum_(static_cast<std::size_t>(rows * columns), 0.0F) {}

void HeadMean::add(std::span<const float> weights) {
  STENO_CHECK(weights.size() == sum_.size(), "{} weights of {}", weights.size(), sum_.size());
  std::vector<float> standard(weights.begin(), weights.end());
  standardise_columns(standard, rows_, columns_);
  const auto size = static_cast<std::size_t>(columns_);
  std::vector<float> smooth(size);
  for (std::size_t at = 0; at < sum_.size(); at += size) {
    median_filter_7(std::span(standard).subspan(at, size), smooth);
    for (std::size_t k = 0; k < size; ++k) sum_[at + k] += smooth[k];
  }
  ++num_heads_;
}

std::vector<float> HeadMean::mean() const {
  STENO_CHECK(num_heads_ > 0);
  std::vector<float> mean(sum_);
  for (float& x : mean) x /= static_cast<float>(num_heads_);
  return mean;
}

void standardise_columns(std::span<float> x, std::int64_t rows, std::int64_t columns) {
  const auto size = static_cast<std::size_t>(columns);
  STENO_CHECK(x.size() == static_cast<std::size_t>(rows) * size, "{} values of {} by {}", x.size(),
              rows, columns);
  std::vector<double> mean(size, 0.0);
  std::vector<double> deviation(size, 0.0);
  for (std::size_t at = 0; at < x.size(); at += size) {
    for (std::size_t k = 0; k < size; ++k) mean[k] += x[at + k];
  }
  for (double& m : mean) m /= static_cast<double>(rows);
  for (std::size_t at = 0; at < x.size(); at += size) {
    for (std::size_t k = 0; k < size; ++k) {
      const double d = x[at + k] - mean[k];
      deviation[k] += d * d;
    }
  }
  for (double& d : deviation) d = std::sqrt(d / static_cast<double>(rows));
  for (std::size_t at = 0; at < x.size(); at += size) {
    for (std::size_t k = 0; k < size; ++k) {
      const float d = x[at + k] - static_cast<float>(mean[k]);
      x[at + k] = deviation[k] > 0 ? d / static_cast<float>(deviation[k]) : 0.0F;
    }
  }
}

void median_filter_7(std::span<const float> row, std::span<float> out) {
  const auto n = static_cast<std::int64_t>(row.size());
  STENO_CHECK(out.size() == row.size());
  if (n <= kReach) {
    std::copy(row.begin(), row.end(), out.begin());
    return;
  }
  std::vector<float> mirrored(static_cast<std::size_t>(n + 2 * kReach));
  std::copy(row.begin(), row.end(), mirrored.begin() + kReach);
  for (std::int64_t i = 1; i <= kReach; ++i) {
    mirrored[static_cast<std::size_t>(kReach - i)] = row[static_cast<std::size_t>(i)];
    mirrored[static_cast<std::size_t>(kReach + n - 1 + i)] =
        row[static_cast<std::size_t>(n - 1 - i)];
  }
  const float* x = mirrored.data();
  for (std::int64_t k = 0; k < n; ++k, ++x) {
    out[static_cast<std::size_t>(k)] = median_of_7({x[0], x[1], x[2], x[3], x[4], x[5], x[6]});
  }
}

std::vector<int> warp_rows(const MatrixView& cost) {
  STENO_CHECK(
      cost.rows >= 1 && cost.columns >= 1 && std::ssize(cost.values) == cost.rows * cost.columns,
      "{} values of {} by {}", cost.values.size(), cost.rows, cost.columns);
  enum Step : std::uint8_t { kBoth, kNextRow, kNextColumn };
  constexpr float kNever = std::numeric_limits<float>::infinity();
  const auto columns = static_cast<std::size_t>(cost.columns);
  std::vector<Step> steps(cost.values.size());

  // Sums of the row above and of this one, each with a cell before its first. TRAP: the sums are
  // f32 in the reference, and ties are decided by their rounding.
  std::vector<float> above(columns + 1, kNever);
  std::vector<float> current(columns + 1, kNever);
  above[0] = 0;
  for (std::size_t at = 0; at < steps.size(); at += columns) {
    current[0] = kNever;
    for (std::size_t k = 0; k < columns; ++k) {
      const float both = above[k];
      const float next_row = above[k + 1];
      const float next_column = current[k];
      float least = next_column;
      Step step = kNextColumn;
      if (both < next_row && both < next_column) {
        least = both;
        step = kBoth;
      } else if (next_row < both && next_row < next_column) {
        least = next_row;
        step = kNextRow;
      }
      current[k + 1] = cost.values[at + k] + least;
      steps[at + k] = step;
    }
    std::swap(above, current);
  }

  std::vector<int> starts(static_cast<std::size_t>(cost.rows), 0);
  std::size_t row = starts.size() - 1;
  std::size_t k = columns - 1;
  while (row > 0) {
    const Step step = k == 0 ? kNextRow : steps[row * columns + k];
    if (step != kNextColumn) starts[row--] = static_cast<int>(k);
    if (step != kNextRow) --k;
  }
  return starts;
}

}  // namespace steno::models::whisper
