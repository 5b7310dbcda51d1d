// Numbers that are spelled out, in digits: "one oh one" -> "101", "twenty dollars and five cents"
// -> "$20.05", "two and a half million" -> "2500000".
// Source: openai-whisper v20250625 whisper/normalizers/english.py, EnglishNumberNormalizer; its
// oddities too ("ninth" stays, "1.5" becomes "one.5"), since error rates are compared by it.
#pragma once

#include <string>
#include <string_view>

namespace steno::scoring {

// Of lower-case text without symbols but . % $ ¢ € £.
std::u32string numbers_in_digits(std::u32string_view text);

}  // namespace steno::scoring
