#include "scoring/english_normalizer.h"

#include <cstddef>

#include "scoring/characters.h"
#include "scoring/english_numbers.h"
#include "scoring/english_spellings.h"
#include "scoring/rewrites.h"

namespace steno::scoring {
namespace {

struct Replacement {
  std::u32string_view pattern;
  std::u32string_view text;
};

// One after the other, as whole words: r"\bpattern\b".
constexpr Replacement kWords[] = {
    {U"won't", U"will not"},
    {U"can't", U"can not"},
    {U"let's", U"let us"},
    {U"ain't", U"aint"},
    {U"y'all", U"you all"},
    {U"wanna", U"want to"},
    {U"kinda", U"kind of"},
    {U"sorta", U"sort of"},
    {U"dunno", U"do not know"},
    {U"gotta", U"got to"},
    {U"gonna", U"going to"},
    {U"i'ma", U"i am going to"},
    {U"imma", U"i am going to"},
    {U"woulda", U"would have"},
    {U"coulda", U"could have"},
    {U"shoulda", U"should have"},
    {U"cause", U"because"},
    {U"ma'am", U"madam"},
    // Titles; the reference leaves a blank behind each.
    {U"mr", U"mister "},
    {U"mrs", U"missus "},
    {U"st", U"saint "},
    {U"dr", U"doctor "},
    {U"prof", U"professor "},
    {U"capt", U"captain "},
    {U"gov", U"governor "},
    {U"ald", U"alderman "},
    {U"gen", U"general "},
    {U"sen", U"senator "},
    {U"rep", U"representative "},
    {U"pres", U"president "},
    {U"rev", U"reverend "},
    {U"hon", U"honorable "},
    {U"asst", U"assistant "},
    {U"assoc", U"associate "},
    {U"lt", U"lieutenant "},
    {U"col", U"colonel "},
    {U"jr", U"junior "},
    {U"sr", U"senior "},
    {U"esq", U"esquire "},
};

// Then the ends of words: r"pattern\b".
constexpr Replacement kEndings[] = {
    {U"'d been", U" had been"},
    {U"'s been", U" has been"},
    {U"'d gone", U" had gone"},
    {U"'s gone", U" has gone"},
    {U"'d done", U" had done"},
    {U"'s got", U" has got"},
    {U"n't", U" not"},
    {U"'re", U" are"},
    {U"'s", U" is"},
    {U"'d", U" would"},
    {U"'ll", U" will"},
    {U"'t", U" not"},
    {U"'ve", U" have"},
    {U"'m", U" am"},
};

constexpr std::u32string_view kFillers[] = {U"hmm", U"mm", U"mhm", U"mmm", U"uh", U"um"};

enum class Boundary { kEnd, kBoth };

std::u32string replace(std::u32string_view text, const Replacement& r, Boundary boundary) {
  std::u32string result;
  std::size_t copied = 0;
  for (std::size_t at = text.find(r.pattern); at != text.npos;) {
    const std::size_t end = at + r.pattern.size();
    if (is_word_boundary(text, end) && (boundary == Boundary::kEnd || is_word_boundary(text, at))) {
      result.append(text.substr(copied, at - copied)).append(r.text);
      copied = end;
      at = text.find(r.pattern, end);
    } else {
      at = text.find(r.pattern, at + 1);
    }
  }
  return result.append(text.substr(copied));
}

// r"\s+'" -> "'"
std::u32string attach_apostrophes(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_space(text[end])) ++end;
    const bool attaches = end < text.size() && text[end] == U'\'';
    if (!attaches) result.append(text.substr(i, end - i));
    if (end < text.size()) result += text[end];
    i = end + 1;
  }
  return result;
}

// r"(\d),(\d)" -> r"\1\2". TRAP: a match takes both digits, so the second comma of "1,2,3" stays.
std::u32string join_thousands(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (i + 2 < text.size() && is_digit(text[i]) && text[i + 1] == U',' && is_digit(text[i + 2])) {
      result += text[i + 2];
      i += 2;
    }
  }
  return result;
}

// r"[leaders]([^0-9])" -> r" \1". TRAP: a match takes both, so the second of two leaders stays.
std::u32string drop_leaders(std::u32string_view text, std::u32string_view leaders) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool drops = leaders.find(text[i]) != leaders.npos && i + 1 < text.size() &&
                       !is_ascii_digit(text[i + 1]);
    result += drops ? U' ' : text[i];
    if (drops) result += text[++i];
  }
  return result;
}

// r"\.([^0-9]|$)" -> r" \1"
std::u32string drop_periods(std::u32string_view text) {
  const bool ends = text.ends_with(U'.');
  std::u32string result = drop_leaders(text, U".");
  // The last one, unless it went as the character behind another.
  const std::size_t first = text.find_last_not_of(U'.') + 1;
  if (ends && (text.size() - first) % 2 == 1) result.back() = U' ';
  return result;
}

// r"([^0-9])%" -> r"\1 "
std::u32string drop_percent_signs(std::u32string_view text) {
  std::u32string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    result += text[i];
    if (!is_ascii_digit(text[i]) && i + 1 < text.size() && text[i + 1] == U'%') {
      result += U' ';
      ++i;
    }
  }
  return result;
}

}  // namespace

std::string normalize_english(std::string_view text) {
  std::u32string s = lower(decode_utf8(text));
  s = remove_parenthesised(remove_bracketed(s));
  for (const auto filler : kFillers) s = replace(s, {filler, U""}, Boundary::kBoth);
  s = attach_apostrophes(s);
  for (const Replacement& r : kWords) s = replace(s, r, Boundary::kBoth);
  for (const Replacement& r : kEndings) s = replace(s, r, Boundary::kEnd);

  s = drop_periods(join_thousands(s));
  s = remove_symbols_and_diacritics(s, U".%$¢€£");
  s = american_spellings(numbers_in_digits(s));

  // What is left of them stands beside no number.
  s = drop_percent_signs(drop_leaders(s, U".$¢€£"));
  return encode_utf8(collapse_spaces(s));
}

}  // namespace steno::scoring
