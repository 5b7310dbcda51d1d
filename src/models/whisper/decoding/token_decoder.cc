#include "models/whisper/decoding/token_decoder.h"

#include <cmath>
#include <limits>

#include "base/check.h"

namespace steno::models::whisper {

int best_candidate(std::span<const Hypothesis> candidates, std::optional<double> length_penalty) {
  STENO_CHECK(!candidates.empty());
  int best = 0;
  double best_score = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const auto length = static_cast<double>(candidates[i].tokens.size());
    const double divisor = length_penalty ? std::pow((5 + length) / 6, *length_penalty) : length;
    // DIFFERS: the reference divides by zero on an empty text; here it ranks by its own
    // log-probability.
    const double score = candidates[i].sum_logprob / (divisor == 0 ? 1 : divisor);
    if (score > best_score) {
      best_score = score;
      best = static_cast<int>(i);
    }
  }
  return best;
}

}  // namespace steno::models::whisper
