// Text as code points, and what Python's str and re say of them: the normalisers are defined by
// these.
//
// DIFFERS: utf8proc's Unicode version stands in for Python's; they differ in characters that only
// one of them knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steno::scoring {

// Malformed UTF-8 becomes U+FFFD.
std::u32string decode_utf8(std::string_view text);
std::string encode_utf8(std::u32string_view text);

bool is_space(char32_t c);        // \s
bool is_digit(char32_t c);        // \d, of any script
bool is_word(char32_t c);         // \w
bool is_ascii_digit(char32_t c);  // [0-9]
int digit_value(char32_t c);      // requires is_digit

bool is_nonspacing_mark(char32_t c);          // Mn
bool is_mark_symbol_punctuation(char32_t c);  // M*, S*, P*

std::u32string lower(std::u32string_view text);  // str.lower()
std::u32string nfkd(std::u32string_view text);
std::u32string nfkc(std::u32string_view text);

std::vector<std::u32string> split(std::u32string_view text);    // str.split()
std::u32string join(const std::vector<std::u32string>& words);  // with blanks

std::vector<std::u32string> graphemes(std::u32string_view text);  // extended clusters, \X

}  // namespace steno::scoring
