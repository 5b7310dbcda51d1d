#include "transcribe/guards.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <string>

#include "base/check.h"

namespace steno::transcribe {
namespace {

constexpr std::size_t kMinCopies = 4;
// Rapid English has some 6 tokens a second, languages that Whisper spells in bytes up to 10.
constexpr double kMaxTokensPerSecond = 12;
constexpr std::size_t kLoudnessFrame = 160;  // 10 ms at 16 kHz
constexpr double kDigitalSilence = 1e-12;    // power of half a step of 20 bits

// Lower-case ASCII letters and digits and all bytes of other scripts; the rest parts words.
std::set<std::string> words_of(std::string_view text) {
  std::set<std::string> words;
  std::string word;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80 || std::isalnum(byte) != 0) {
      word += static_cast<char>(std::tolower(byte));
    } else if (!word.empty()) {
      words.insert(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.insert(std::move(word));
  return words;
}

}  // namespace

bool is_silence(const models::WindowText& text, const Options& o) {
  return o.no_speech_threshold && text.no_speech_prob > *o.no_speech_threshold &&
         o.logprob_threshold && text.avg_logprob < *o.logprob_threshold;
}

bool needs_retry(const models::WindowText& text, const Options& o) {
  if (is_silence(text, o)) return false;
  return (o.compression_ratio_threshold &&
          text.compression_ratio > *o.compression_ratio_threshold) ||
         (o.logprob_threshold && text.avg_logprob < *o.logprob_threshold);
}

bool is_skipped(const models::WindowText& text, const Options& o) {
  if (!o.no_speech_threshold || text.no_speech_prob <= *o.no_speech_threshold) return false;
  return !(o.logprob_threshold && text.avg_logprob > *o.logprob_threshold);
}

double loudness_range_db(std::span<const float> pcm) {
  std::vector<double> powers;
  powers.reserve(pcm.size() / kLoudnessFrame);
  for (std::size_t at = 0; at + kLoudnessFrame <= pcm.size(); at += kLoudnessFrame) {
    double sum = kDigitalSilence;
    for (const float x : pcm.subspan(at, kLoudnessFrame)) sum += static_cast<double>(x) * x;
    powers.push_back(sum);
  }
  if (powers.empty()) return 0;
  const auto quantile = [&](std::size_t tenths) {
    const auto nth =
        powers.begin() + static_cast<std::ptrdiff_t>((powers.size() - 1) * tenths / 10);
    std::ranges::nth_element(powers, nth);
    return *nth;
  };
  return 10 * std::log10(quantile(9) / quantile(1));
}

const models::WindowText& best_attempt(std::span<const models::WindowText> attempts,
                                       const Options& options) {
  STENO_CHECK(!attempts.empty(), "no attempt");
  const auto repeats = [&](const models::WindowText& text) {
    return options.compression_ratio_threshold &&
           text.compression_ratio > *options.compression_ratio_threshold;
  };
  return *std::ranges::max_element(attempts,
                                   [&](const models::WindowText& a, const models::WindowText& b) {
                                     if (repeats(a) != repeats(b)) return repeats(a);
                                     return a.avg_logprob < b.avg_logprob;
                                   });
}

std::optional<Repetition> find_repetition(std::span<const int> tokens) {
  std::optional<Repetition> longest;
  std::size_t covered = 0;
  for (std::size_t unit = 1; unit * kMinCopies <= tokens.size(); ++unit) {
    std::size_t matching = 0;  // tokens at the end that equal the one a unit before
    while (matching + unit < tokens.size() &&
           tokens[tokens.size() - 1 - matching] == tokens[tokens.size() - 1 - matching - unit]) {
      ++matching;
    }
    const std::size_t copies = matching / unit + 1;
    if (copies < kMinCopies || copies * unit <= covered) continue;
    covered = copies * unit;
    longest = Repetition{tokens.size() - covered, unit, copies};
  }
  return longest;
}

std::size_t supported_copies(const Repetition& repetition, double duration_s) {
  const double unit_s = static_cast<double>(repetition.unit) / kMaxTokensPerSecond;
  const double fitting = std::floor(std::max(0.0, duration_s) / unit_s);
  return std::clamp<std::size_t>(static_cast<std::size_t>(fitting), 1, repetition.copies);
}

bool is_too_fast(std::size_t num_text_tokens, double duration_s) {
  return static_cast<double>(num_text_tokens) > kMaxTokensPerSecond * (duration_s + 1);
}

bool may_be_prompt(std::string_view text, std::string_view prompt) {
  const std::set<std::string> said = words_of(text);
  const std::set<std::string> given = words_of(prompt);
  return !said.empty() && std::ranges::includes(given, said);
}

}  // namespace steno::transcribe
