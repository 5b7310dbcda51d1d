// Which language a window is in, and where it may change inside one. Pure.
//
// Path: models (detect_language) -> here -> transcribe/parallel.
// A window of 30 s is told by its loudest language; where two windows differ, or one leaves it
// open, the change lies inside. Such a window is cut at pauses into parts that are told apart one
// by one; neighbours of one language become one window again.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/model.h"
#include "transcribe/windows.h"

namespace steno::transcribe {

// The likeliest of those allowed (all, when the list is empty), where a language that is
// `expected`, as it is spoken before or behind, counts kExpectedOdds times: people rarely change
// it, and whisper-base takes every fifth Spanish prompt for Italian. Requires scores, best first.
models::LanguageScore best_language(std::span<const models::LanguageScore> scores,
                                    std::span<const std::string> allowed,
                                    std::span<const std::string> expected = {});

inline constexpr double kExpectedOdds = 4;

// So unsure that a second language may be in it.
bool may_be_mixed(const models::LanguageScore& score);

// The window cut at pauses into parts of at least 4 s of speech each. They cover it without gap or
// overlap; a window that cannot be cut comes back whole.
std::vector<SpeechWindow> split_into_parts(const SpeechWindow& window);

struct LanguagePart {
  SpeechWindow window;
  std::string language;
};

// Neighbours of one language joined. Requires one language a part.
std::vector<LanguagePart> join_parts(std::span<const SpeechWindow> parts,
                                     std::span<const std::string> languages);

}  // namespace steno::transcribe
