#include "scoring/rewrites.h"

#include <cstddef>
#include <utility>

#include "scoring/characters.h"

namespace steno::scoring {
namespace {

constexpr auto kNone = std::u32string_view::npos;

constexpr std::pair<char32_t, std::u32string_view> kSpelledOut[] = {
    {U'œ', U"oe"}, {U'Œ', U"OE"}, {U'ø', U"o"}, {U'Ø', U"O"}, {U'æ', U"ae"}, {U'Æ', U"AE"},
    {U'ß', U"ss"}, {U'ẞ', U"SS"}, {U'đ', U"d"}, {U'Đ', U"D"}, {U'ð', U"d"},  {U'Ð', U"D"},
    {U'þ', U"th"}, {U'Þ', U"th"}, {U'ł', U"l"}, {U'Ł', U"L"},
};

const std::u32string_view* find_spelling(char32_t c) {
  for (const auto& [letter, spelling] : kSpelledOut) {
    if (letter == c) return &spelling;
  }
  return nullptr;
}

}  // namespace

bool is_word_boundary(std::u32string_view text, std::size_t at) {
  const bool before = at > 0 && is_word(text[at - 1]);
  const bool after = at < text.size() && is_word(text[at]);
  return before != after;
}

std::u32string remove_bracketed(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool opens = text[i] == U'<' || text[i] == U'[';
    const std::size_t close = opens ? text.find_first_of(U">]", i + 1) : kNone;
    if (close == kNone) {
      result += text[i];
    } else {
      i = close;
    }
  }
  return result;
}

std::u32string remove_parenthesised(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t close = text[i] == U'(' ? text.find(U')', i + 1) : kNone;
    if (close == kNone || close == i + 1) {  // "()" stays
      result += text[i];
    } else {
      i = close;
    }
  }
  return result;
}

std::u32string collapse_spaces(std::u32string_view text) {
  std::u32string result;
  bool in_space = false;
  for (const char32_t c : text) {
    const bool space = is_space(c);
    if (!space) result += c;
    if (space && !in_space) result += U' ';
    in_space = space;
  }
  return result;
}

std::u32string remove_symbols_and_diacritics(std::u32string_view text, std::u32string_view kept) {
  std::u32string result;
  for (const char32_t c : nfkd(text)) {
    if (kept.find(c) != kNone) {
      result += c;
    } else if (const auto* spelling = find_spelling(c)) {
      result += *spelling;
    } else if (!is_nonspacing_mark(c)) {
      result += is_mark_symbol_punctuation(c) ? U' ' : c;
    }
  }
  return result;
}

std::u32string remove_symbols(std::u32string_view text) {
  std::u32string result = nfkc(text);
  for (char32_t& c : result) {
    if (is_mark_symbol_punctuation(c)) c = U' ';
  }
  return result;
}

}  // namespace steno::scoring
