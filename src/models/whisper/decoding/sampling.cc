#include "models/whisper/decoding/sampling.h"

#include <cmath>
#include <utility>

#include "base/check.h"
#include "ops/logits_math.h"

namespace steno::models::whisper {

Sampling::Sampling(int num_samples, double temperature, std::uint64_t seed, int eot)
    : temperature_(temperature), eot_(eot), num_samples_(num_samples), rows_(1) {
  STENO_CHECK(num_samples >= 1 && temperature >= 0, "{} samples at temperature {}", num_samples,
              temperature);
  for (int i = 0; i < num_samples; ++i) {
    std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                           static_cast<std::uint32_t>(i)};
    random_.emplace_back(sequence);
  }
}

int Sampling::choose(std::span<const float> logits, std::mt19937_64& random) const {
  if (temperature_ == 0) return ops::argmax(logits);
  // Inverse transform: walk up the cumulative distribution of softmax(logits / T).
  const double max = logits[static_cast<std::size_t>(ops::argmax(logits))];
  std::vector<double> weights(logits.size());
  double total = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    weights[i] = std::exp((static_cast<double>(logits[i]) - max) / temperature_);
    total += weights[i];
  }
  // 53 random bits; std::uniform_real_distribution differs between standard libraries.
  double left = static_cast<double>(random() >> 11) * 0x1p-53 * total;
  int last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    last = static_cast<int>(i);
    left -= weights[i];
    if (left < 0) break;
  }
  return last;
}

std::vector<int> Sampling::update(std::span<const std::span<const float>> logits) {
  STENO_CHECK(logits.size() == rows_.size(), "{} rows, {} logits", rows_.size(), logits.size());
  const bool is_first = sample_of_row_.empty();
  std::vector<Hypothesis> next;
  std::vector<int> sources;
  std::vector<int> samples;
  const int num_rows = is_first ? num_samples_ : static_cast<int>(rows_.size());
  for (int i = 0; i < num_rows; ++i) {
    const int row = is_first ? 0 : i;  // all samples begin from the one prompt
    const int sample = is_first ? i : sample_of_row_[static_cast<std::size_t>(i)];
    const std::span<const float> row_logits = logits[static_cast<std::size_t>(row)];
    const int token = choose(row_logits, random_[static_cast<std::size_t>(sample)]);
    Hypothesis hypothesis = rows_[static_cast<std::size_t>(row)];
    hypothesis.sum_logprob +=
        row_logits[static_cast<std::size_t>(token)] - ops::log_sum_exp(row_logits);
    if (token == eot_) {
      ended_.push_back(std::move(hypothesis));
      continue;
    }
    hypothesis.tokens.push_back(token);
    next.push_back(std::move(hypothesis));
    sources.push_back(row);
    samples.push_back(sample);
  }
  rows_ = std::move(next);
  sample_of_row_ = std::move(samples);
  return sources;
}

std::vector<Hypothesis> Sampling::finalize() {
  for (Hypothesis& row : rows_) ended_.push_back(std::move(row));
  rows_.clear();
  return std::move(ended_);
}

}  // namespace steno::models::whisper
