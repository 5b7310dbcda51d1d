#include "models/whisper/decoding/logit_rules.h"

#include <algorithm>
#include <limits>

#include "ops/logits_math.h"

namespace steno::models::whisper {
namespace {

constexpr float kForbidden = -std::numeric_limits<float>::infinity();

void forbid(std::span<float> logits, int begin, int end) {
  const int size = static_cast<int>(logits.size());
  begin = std::clamp(begin, 0, size);
  end = std::clamp(end, begin, size);
  std::fill(logits.begin() + begin, logits.begin() + end, kForbidden);
}

void forbid(std::span<float> logits, std::span<const int> tokens) {
  for (const int token : tokens) logits[static_cast<std::size_t>(token)] = kForbidden;
}

// Timestamps come in pairs (end of one segment, start of the next) except at both ends of the text.
void apply_pairing(const LogitRules& rules, const Vocabulary& v, std::span<const int> sampled,
                   std::span<float> logits) {
  const std::size_t n = sampled.size();
  const bool last_is_timestamp = n >= 1 && v.is_timestamp(sampled[n - 1]);
  const bool before_is_timestamp = n < 2 || v.is_timestamp(sampled[n - 2]);
  if (last_is_timestamp && before_is_timestamp) {
    forbid(logits, v.timestamp_begin, v.size);  // the pair is complete: text must follow
  } else if (last_is_timestamp) {
    forbid(logits, 0, v.eot);  // a pair is open: its second half, or the end
    const int closing = sampled[n - 1] - v.timestamp_begin;
    if (rules.end_timestamp && closing >= *rules.end_timestamp) {
      forbid(logits, v.eot + 1, v.size);
    }
  }

  const auto latest = std::find_if(sampled.rbegin(), sampled.rend(),
                                   [&](int token) { return v.is_timestamp(token); });
  if (latest == sampled.rend()) return;
  // Times never fall; the same time again only as the second half of a pair, so no segment is empty
  // and no loop stands still.
  const bool may_repeat = last_is_timestamp && !before_is_timestamp;
  forbid(logits, v.timestamp_begin, *latest + (may_repeat ? 0 : 1));
}

void apply_first_timestamp(const LogitRules& rules, const Vocabulary& v, std::span<float> logits) {
  forbid(logits, 0, v.timestamp_begin);
  if (rules.max_initial_timestamp) {
    forbid(logits, v.timestamp_begin + *rules.max_initial_timestamp + 1, v.size);
  }
}

// A timestamp must be next when together they are likelier than the likeliest other token.
void apply_timestamp_mass(const Vocabulary& v, std::span<float> logits) {
  const auto begin = static_cast<std::size_t>(v.timestamp_begin);
  const std::span<const float> text = logits.first(begin);
  const int best_text = ops::argmax(text);
  if (ops::log_sum_exp(logits.subspan(begin)) > text[static_cast<std::size_t>(best_text)]) {
    forbid(logits, 0, v.timestamp_begin);
  }
}

}  // namespace

void apply(const LogitRules& rules, const Vocabulary& vocabulary, std::span<const int> sampled,
           std::span<float> logits) {
  if (sampled.empty()) forbid(logits, rules.first_suppressed);
  forbid(logits, rules.suppressed);
  if (!rules.timestamps) return;
  forbid(logits, vocabulary.notimestamps, vocabulary.notimestamps + 1);
  if (rules.last_timestamp) {
    forbid(logits, vocabulary.timestamp_begin + *rules.last_timestamp + 1, vocabulary.size);
  }
  apply_pairing(rules, vocabulary, sampled, logits);
  if (sampled.empty()) apply_first_timestamp(rules, vocabulary, logits);
  apply_timestamp_mass(vocabulary, logits);
}

}  // namespace steno::models::whisper
