// The arg max (temperature 0) or samples of it (best of n), n independent hypotheses.
// Source: whisper/decoding.py GreedyDecoder, v20250625.
// DIFFERS: the random numbers are our own (seeded, the same on every machine and for any batch), so
// samples are not those of torch; the distribution is.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "models/whisper/decoding/token_decoder.h"

namespace steno::models::whisper {

class Sampling : public TokenDecoder {
 public:
  // Requires num_samples >= 1 and temperature >= 0; at 0 one sample is enough.
  Sampling(int num_samples, double temperature, std::uint64_t seed, int eot);

  const std::vector<Hypothesis>& rows() const override { return rows_; }
  std::vector<int> update(std::span<const std::span<const float>> logits) override;
  std::vector<Hypothesis> finalize() override;

 private:
  int choose(std::span<const float> logits, std::mt19937_64& random) const;

  double temperature_;
  int eot_;
  int num_samples_;
  std::vector<Hypothesis> rows_;
  std::vector<int> sample_of_row_;  // which sample's random numbers a row uses
  std::vector<std::mt19937_64> random_;
  std::vector<Hypothesis> ended_;
};

}  // namespace steno::models::whisper
