#include "transcribe/language_parts.h"

#include <algorithm>

#include "base/check.h"

namespace steno::transcribe {
namespace {

constexpr double kUnmixed = 0.7;
constexpr double kMinPartS = 4;
constexpr std::int64_t kMinPauseSamples = audio::kSampleRate / 5;

}  // namespace

models::LanguageScore best_language(std::span<const models::LanguageScore> scores,
                                    std::span<const std::string> allowed,
                                    std::span<const std::string> expected) {
  STENO_CHECK(!scores.empty(), "no scores");
  const auto holds = [](std::span<const std::string> codes, const std::string& code) {
    return std::ranges::find(codes, code) != codes.end();
  };
  const models::LanguageScore* best = nullptr;
  double best_odds = -1;
  for (const models::LanguageScore& score : scores) {
    if (!allowed.empty() && !holds(allowed, score.code)) continue;
    const double odds = score.probability * (holds(expected, score.code) ? kExpectedOdds : 1);
    if (odds <= best_odds) continue;
    best_odds = odds;
    best = &score;
  }
  return best != nullptr ? *best : models::LanguageScore{allowed.front(), 0};
}

bool may_be_mixed(const models::LanguageScore& score) {
  return score.probability < kUnmixed;
}

std::vector<SpeechWindow> split_into_parts(const SpeechWindow& window) {
  std::vector<SpeechWindow> parts;
  SpeechWindow part;
  part.begin_samples = window.begin_samples;
  for (std::size_t i = 0; i < window.speech.size(); ++i) {
    part.speech.push_back(window.speech[i]);
    const std::int64_t end = window.speech[i].end_samples;
    const bool is_last = i + 1 == window.speech.size();
    const std::int64_t next = is_last ? end : window.speech[i + 1].begin_samples;
    const bool is_enough = speech_s(part.speech, part.begin_samples, end) >= kMinPartS &&
                           speech_s(window.speech, next, window.end_samples) >= kMinPartS;
    if (is_last || !is_enough || next - end < kMinPauseSamples) continue;
    part.end_samples = end + (next - end) / 2;
    parts.push_back(part);
    part = {};
    part.begin_samples = parts.back().end_samples;
  }
  part.end_samples = window.end_samples;
  parts.push_back(std::move(part));
  return parts;
}

std::vector<LanguagePart> join_parts(std::span<const SpeechWindow> parts,
                                     std::span<const std::string> languages) {
  STENO_CHECK(parts.size() == languages.size(), "{} parts, {} languages", parts.size(),
              languages.size());
  std::vector<LanguagePart> joined;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (joined.empty() || joined.back().language != languages[i]) {
      joined.push_back({parts[i], languages[i]});
      continue;
    }
    SpeechWindow& last = joined.back().window;
    last.end_samples = parts[i].end_samples;
    last.speech.insert(last.speech.end(), parts[i].speech.begin(), parts[i].speech.end());
  }
  return joined;
}

}  // namespace steno::transcribe
