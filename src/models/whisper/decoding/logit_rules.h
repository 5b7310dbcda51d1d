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
  // As indices (50: 1 s).
  std::optional<int> max_initial_timestamp;  // the latest that may come first
  std::optional<int> last_timestamp;         // the latest of all: where a shorter window ends
  // DIFFERS: one that closes a segment here or later ends the text. Behind the end of a window that
  // is not padded to 30 s the decoder is prone to say it all again.
  std::optional<int> end_timestamp;
};

// Sets forbidden logits of one row [V] to -inf. `sampled`: the tokens after the prompt and the
// prefix.
void apply(const LogitRules& rules, const Vocabulary& vocabulary, std::span<const int> sampled,
           std::span<float> logits);

}  // namespace steno::models::whisper
