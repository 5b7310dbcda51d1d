#include "models/whisper/decoding/beam_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "ops/logits_math.h"

namespace steno::models::whisper {
namespace {

// A row of the beam extended by one token.
struct Extension {
  int row = 0;
  int token = 0;
  float sum_logprob = 0;
};

bool is_better(const Extension& a, const Extension& b) {
  return a.sum_logprob > b.sum_logprob;
}

}  // namespace

BeamSearch::BeamSearch(int beam_size, double patience, int eot)
    : beam_size_(beam_size),
      // Python's round(): halves to the even number, as nearbyint does.
      max_finished_(std::max(1, static_cast<int>(std::nearbyint(beam_size * patience)))),
      eot_(eot),
      rows_(1) {
  STENO_CHECK(beam_size >= 1 && patience > 0, "beam {} patience {}", beam_size, patience);
}

const std::vector<Hypothesis>& BeamSearch::rows() const {
  static const std::vector<Hypothesis> kNone;
  return is_over_ ? kNone : rows_;
}

std::vector<int> BeamSearch::update(std::span<const std::span<const float>> logits) {
  STENO_CHECK(logits.size() == rows_.size(), "{} rows, {} logits", rows_.size(), logits.size());
  std::vector<Extension> extensions;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const float normaliser = ops::log_sum_exp(logits[i]);
    for (const ops::Scored& scored : ops::top_k(logits[i], beam_size_ + 1)) {
      extensions.push_back(
          {static_cast<int>(i), scored.index, rows_[i].sum_logprob + (scored.value - normaliser)});
    }
  }
  std::stable_sort(extensions.begin(), extensions.end(), is_better);

  // Walk down: the ended ones are put aside until the beam is full again.
  std::vector<Hypothesis> next;
  std::vector<int> sources;
  for (const Extension& extension : extensions) {
    const Hypothesis& from = rows_[static_cast<std::size_t>(extension.row)];
    if (extension.token == eot_) {
      if (static_cast<int>(finished_.size()) < max_finished_) {
        finished_.push_back({from.tokens, extension.sum_logprob});
      }
      continue;
    }
    next.push_back({from.tokens, extension.sum_logprob});
    next.back().tokens.push_back(extension.token);
    sources.push_back(extension.row);
    if (static_cast<int>(next.size()) == beam_size_) break;
  }
  rows_ = std::move(next);
  is_over_ = static_cast<int>(finished_.size()) >= max_finished_;
  return is_over_ ? std::vector<int>() : sources;
}

std::vector<Hypothesis> BeamSearch::finalize() {
  // As numpy's argsort read backwards: the best first, the later row first among equals.
  std::stable_sort(rows_.begin(), rows_.end(), [](const Hypothesis& a, const Hypothesis& b) {
    return a.sum_logprob < b.sum_logprob;
  });
  for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
    if (static_cast<int>(finished_.size()) >= beam_size_) break;
    finished_.push_back(std::move(*row));
  }
  rows_.clear();
  return std::move(finished_);
}

}  // namespace steno::models::whisper
