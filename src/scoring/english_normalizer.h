// Whisper's normaliser for English: contractions and titles written out, numbers in digits,
// American spellings, no fillers. Source: openai-whisper v20250625 whisper/normalizers/english.py,
// EnglishTextNormalizer.
#pragma once

#include <string>
#include <string_view>

namespace steno::scoring {

// Malformed UTF-8 becomes U+FFFD, then a space. As the reference, it may leave a blank at an end.
std::string normalize_english(std::string_view text);

}  // namespace steno::scoring
