// What the next token may not be: blank starts, suppressed tokens, and the grammar of timestamps.
// Pure.
//
// Path: models/whisper/decoder (logits) -> here -> beam_search or sampling.
// Source: whisper/decoding.py SuppressBlank, SuppressTokens, ApplyTimestampRules, v20250625.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "models/whisper/vocabulary.h"

namespace steno::models::whisper {

struct LogitRules {
  std::vector<int> first_suppressed;  // at the first sampled token only: " " and eot
  std::vector<int> suppressed;        // always
  bool timestamps = true;
  std::optional<int> max_initial_timestamp;  // the latest first timestamp, as an index (50: 1 s)
};

// Sets forbidden logits of one row [V] to -inf. `sampled`: the tokens after the prompt and the
// prefix.
void apply(const LogitRules& rules, const Vocabulary& vocabulary, std::span<const int> sampled,
           std::span<float> logits);

}  // namespace steno::models::whisper
