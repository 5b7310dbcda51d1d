// Steps that both normalisers share, each one substitution of the reference (re.sub): matches are
// found from left to right, do not overlap, and look at the text as it was before.
#pragma once

#include <string>
#include <string_view>

namespace steno::scoring {

// \b before `at`.
bool is_word_boundary(std::u32string_view text, std::size_t at);

// r"[<\[][^>\]]*[>\]]" -> ""
std::u32string remove_bracketed(std::u32string_view text);

// r"\(([^)]+?)\)" -> ""
std::u32string remove_parenthesised(std::u32string_view text);

// r"\s+" -> " "
std::u32string collapse_spaces(std::u32string_view text);

// Compatibility decomposition without nonspacing marks, with a space for every other mark, symbol
// and punctuation, and Latin letters that do not decompose ("ß", "ø") spelled out. What is in
// `kept` stays.
std::u32string remove_symbols_and_diacritics(std::u32string_view text,
                                             std::u32string_view kept = {});

// Compatibility composition with a space for every mark, symbol and punctuation.
std::u32string remove_symbols(std::u32string_view text);

}  // namespace steno::scoring
