#include "scoring/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/utf8.h"

namespace steno::scoring {
namespace {

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

constexpr char32_t kCapitalSigma = U'Σ';

// Cased and Case_Ignorable of Unicode (3.13), nearly: the few letters outside Lu, Ll and Lt that
// have a case do not stand beside a sigma.
bool is_cased(char32_t c) {
  const utf8proc_category_t k = category(c);
  return k == UTF8PROC_CATEGORY_LU || k == UTF8PROC_CATEGORY_LL || k == UTF8PROC_CATEGORY_LT;
}

bool is_case_ignorable(char32_t c) {
  constexpr std::u32string_view kInsideWords = U"'.:·’‘․﹒＇．：";
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return kInsideWords.find(c) != kInsideWords.npos;
  }
}

// Final_Sigma: a cased letter before it and none after it.
bool ends_word(std::u32string_view text, std::size_t at) {
  const auto skip = [](char32_t c) { return !is_case_ignorable(c); };
  const std::u32string_view before = text.substr(0, at);
  const std::u32string_view after = text.substr(at + 1);
  const auto previous = std::find_if(before.rbegin(), before.rend(), skip);
  const auto next = std::find_if(after.begin(), after.end(), skip);
  return previous != before.rend() && is_cased(*previous) &&
         (next == after.end() || !is_cased(*next));
}

std::u32string decompose(std::u32string_view text) {
  std::u32string result;
  int last_class = 0;
  for (const char32_t c : text) {
    utf8proc_int32_t parts[32];  // the longest compatibility decomposition has 18
    const auto num_parts = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(c), parts, 32,
        static_cast<utf8proc_option_t>(UTF8PROC_COMPAT | UTF8PROC_DECOMPOSE), &last_class);
    STENO_CHECK(num_parts >= 0 && num_parts <= 32);
    result.append(parts, parts + num_parts);
  }
  return result;
}

int combining_class(char32_t c) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

// Marks behind a letter, in the order of their classes.
void order_marks(std::u32string& text) {
  for (auto begin = text.begin(); begin != text.end();) {
    if (combining_class(*begin) == 0) {
      ++begin;
      continue;
    }
    const auto end =
        std::find_if(begin, text.end(), [](char32_t c) { return combining_class(c) == 0; });
    std::stable_sort(
        begin, end, [](char32_t a, char32_t b) { return combining_class(a) < combining_class(b); });
    begin = end;
  }
}

}  // namespace

std::u32string decode_utf8(std::string_view text) {
  const std::string valid = utf8::replace_invalid(text);
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(valid.data());
  std::u32string result;
  for (std::size_t at = 0; at < valid.size();) {
    utf8proc_int32_t c = 0;
    const auto num_bytes =
        utf8proc_iterate(bytes + at, static_cast<utf8proc_ssize_t>(valid.size() - at), &c);
    STENO_CHECK(num_bytes > 0);
    result += static_cast<char32_t>(c);
    at += static_cast<std::size_t>(num_bytes);
  }
  return result;
}

std::string encode_utf8(std::u32string_view text) {
  std::string result;
  for (const char32_t c : text) {
    utf8proc_uint8_t bytes[4];
    const auto num_bytes = utf8proc_encode_char(static_cast<utf8proc_int32_t>(c), bytes);
    result.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(num_bytes));
  }
  return result;
}

bool is_space(char32_t c) {
  if ((c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F) || c == 0x85) return true;
  const utf8proc_category_t k = category(c);
  return k == UTF8PROC_CATEGORY_ZS || k == UTF8PROC_CATEGORY_ZL || k == UTF8PROC_CATEGORY_ZP;
}

bool is_digit(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_ND;
}

bool is_ascii_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

bool is_word(char32_t c) {
  const utf8proc_category_t k = category(c);
  return c == '_' || (k >= UTF8PROC_CATEGORY_LU && k <= UTF8PROC_CATEGORY_LO) ||
         (k >= UTF8PROC_CATEGORY_ND && k <= UTF8PROC_CATEGORY_NO);
}

// Unicode keeps the ten digits of a script in a row.
int digit_value(char32_t c) {
  int num_before = 0;
  while (c > static_cast<char32_t>(num_before) &&
         is_digit(c - static_cast<char32_t>(num_before) - 1)) {
    ++num_before;
  }
  return num_before % 10;
}

bool is_nonspacing_mark(char32_t c) {
  return category(c) == UTF8PROC_CATEGORY_MN;
}

bool is_mark_symbol_punctuation(char32_t c) {
  const utf8proc_category_t k = category(c);
  return (k >= UTF8PROC_CATEGORY_MN && k <= UTF8PROC_CATEGORY_ME) ||
         (k >= UTF8PROC_CATEGORY_PC && k <= UTF8PROC_CATEGORY_SO);
}

std::u32string lower(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char32_t c = text[i];
    if (c == U'\u0130') {
      result += U"i\u0307";  // the one letter whose lower case is two characters
    } else if (c == kCapitalSigma) {
      result += ends_word(text, i) ? U'ς' : U'σ';
    } else {
      result += static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
    }
  }
  return result;
}

std::u32string nfkd(std::u32string_view text) {
  std::u32string result = decompose(text);
  order_marks(result);
  return result;
}

std::u32string nfkc(std::u32string_view text) {
  const std::u32string decomposed = nfkd(text);
  std::vector<utf8proc_int32_t> buffer(decomposed.begin(), decomposed.end());
  const auto length =
      utf8proc_normalize_utf32(buffer.data(), static_cast<utf8proc_ssize_t>(buffer.size()),
                               static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  STENO_CHECK(length >= 0);
  return {buffer.begin(), buffer.begin() + length};
}

std::vector<std::u32string> split(std::u32string_view text) {
  std::vector<std::u32string> words;
  bool in_word = false;
  for (const char32_t c : text) {
    if (is_space(c)) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    words.back() += c;
  }
  return words;
}

std::u32string join(const std::vector<std::u32string>& words) {
  std::u32string text;
  for (const std::u32string& word : words) {
    if (&word != &words.front()) text += U' ';
    text += word;
  }
  return text;
}

std::vector<std::u32string> graphemes(std::u32string_view text) {
  std::vector<std::u32string> clusters;
  utf8proc_int32_t state = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_break =
        i == 0 || utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(text[i - 1]),
                                                   static_cast<utf8proc_int32_t>(text[i]), &state);
    if (is_break) clusters.emplace_back();
    clusters.back() += text[i];
  }
  return clusters;
}

}  // namespace steno::scoring
