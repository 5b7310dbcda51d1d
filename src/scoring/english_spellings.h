// British spellings in American. The list: openai-whisper v20250625
// whisper/normalizers/english.json, made into english_spellings.inc by
// tools/reference/scoring_goldens.py.
#pragma once

#include <string>
#include <string_view>

namespace steno::scoring {

// Word by word; the words come parted by single blanks.
std::u32string american_spellings(std::u32string_view text);

}  // namespace steno::scoring
