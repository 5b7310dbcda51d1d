// How tokens are chosen from filtered logits: beam search, or the arg max and sampling. Pure.
//
// A decoder owns the hypotheses of one window. Each step the caller runs the network for rows() and
// hands the logits back; the decoder answers with the rows to go on with and which old row each
// continues, so that the cache can follow.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace steno::models::whisper {

struct Hypothesis {
  std::vector<int> tokens;  // sampled so far, without eot
  float sum_logprob = 0;    // of the filtered distribution, eot included once it was taken
};

class TokenDecoder {
 public:
  virtual ~TokenDecoder() = default;

  // Hypotheses that still run; one row of logits each. Empty when the search is over. Before the
  // first update there is one: all begin alike.
  virtual const std::vector<Hypothesis>& rows() const = 0;

  // logits[i]: the filtered row [V] of rows()[i]. Returns for each new row the old row that it
  // continues.
  virtual std::vector<int> update(std::span<const std::span<const float>> logits) = 0;

  // Every candidate for the answer, unfinished ones included when there are too few finished. Call
  // once, at the end.
  virtual std::vector<Hypothesis> finalize() = 0;
};

// The likeliest: the largest sum / length, or sum / ((5 + length) / 6)^alpha (Google's GNMT paper,
// eq. 14). Requires at least one candidate. Source: whisper/decoding.py MaximumLikelihoodRanker.
int best_candidate(std::span<const Hypothesis> candidates, std::optional<double> length_penalty);

}  // namespace steno::models::whisper
