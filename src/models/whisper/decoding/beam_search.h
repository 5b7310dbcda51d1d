// Beam search with patience.
// Source: whisper/decoding.py BeamSearchDecoder (v20250625); Kasai et al. 2022.
#pragma once

#include <vector>

#include "models/whisper/decoding/token_decoder.h"

namespace steno::models::whisper {

class BeamSearch : public TokenDecoder {
 public:
  // Requires beam_size >= 1 and patience > 0. The search ends when round(beam_size * patience)
  // hypotheses ended.
  BeamSearch(int beam_size, double patience, int eot);

  const std::vector<Hypothesis>& rows() const override;
  std::vector<int> update(std::span<const std::span<const float>> logits) override;
  std::vector<Hypothesis> finalize() override;

 private:
  int beam_size_;
  int max_finished_;
  int eot_;
  bool is_over_ = false;
  std::vector<Hypothesis> rows_;  // the beam; kept for finalize() when the search is over
  std::vector<Hypothesis> finished_;
};

}  // namespace steno::models::whisper
