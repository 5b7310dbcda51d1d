// Whisper's normaliser for every language but English: brackets and their content go, case and
// symbols go. Source: openai-whisper v20250625 whisper/normalizers/basic.py, BasicTextNormalizer.
// TRAP: the vowel signs of Indic scripts are marks and go too, as in the reference.
#pragma once

#include <string>
#include <string_view>

namespace steno::scoring {

struct BasicRules {
  bool remove_diacritics = false;
  bool split_letters = false;  // each grapheme a word: scripts without blanks between words
};

// Malformed UTF-8 becomes U+FFFD, then a space. As the reference, it may leave a blank at an end.
std::string normalize_basic(std::string_view text, BasicRules rules = {});

}  // namespace steno::scoring
