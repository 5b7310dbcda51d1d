#include "output/line_breaking.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>

namespace steno::output {
namespace {

struct Range {
  char32_t first, last;
};

// Han, kana, bopomofo, full-width forms; Thai, Lao, Burmese, Khmer.
constexpr Range kUnspaced[] = {
    {0x0E01, 0x0EFF}, {0x1000, 0x109F}, {0x1780, 0x17FF}, {0x2E80, 0x312F},   {0x31A0, 0x31BF},
    {0x31F0, 0x33FF}, {0x3400, 0x4DBF}, {0x4E00, 0x9FFF}, {0xF900, 0xFAFF},   {0xFE30, 0xFE4F},
    {0xFF01, 0xFF60}, {0xFF61, 0xFF9F}, {0xFFE0, 0xFFE6}, {0x20000, 0x3FFFD},
};

constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
    {0xFE30, 0xFE4F},   {0xFF01, 0xFF60},   {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD},
};

constexpr Range kCombining[] = {
    {0x0300, 0x036F},   {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF}, {0x05C1, 0x05C2},
    {0x05C4, 0x05C7},   {0x0610, 0x061A}, {0x064B, 0x065F}, {0x06D6, 0x06DC}, {0x0900, 0x0902},
    {0x093C, 0x093C},   {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E},   {0x0EB1, 0x0EB1}, {0x0EB4, 0x0EBC}, {0x0EC8, 0x0ECE}, {0x102D, 0x1030},
    {0x1036, 0x103A},   {0x17B4, 0x17B5}, {0x17B7, 0x17BD}, {0x17C6, 0x17C6}, {0x17C9, 0x17D3},
    {0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},
    {0x20D0, 0x20FF},   {0x3099, 0x309A}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
    {0x1F3FB, 0x1F3FF},  // skin tones
    {0xE0100, 0xE01EF},
};

constexpr std::u32string_view kSentenceMarks = U".!?…。！？｡؟।॥۔։።";
constexpr std::u32string_view kClauseMarks = U",;:、，；：､،؛–—";
constexpr std::u32string_view kClosing = U"\"')]}»›”’」』）］】》〉｣";
constexpr std::u32string_view kOpening =
    U"([{«‹“‘「『（［【《〈｢¿¡เแโใไເແໂໃໄ";  // and leading vowels
// Beside marks and closing ones: what belongs to the character before it.
constexpr std::u32string_view kTrailing =
    U"ーぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ々〜・％%ๆฯ";

bool is_in(std::span<const Range> ranges, char32_t c) {
  return std::ranges::any_of(ranges, [c](Range r) { return r.first <= c && c <= r.last; });
}

bool is_in(std::u32string_view set, char32_t c) {
  return set.find(c) != std::u32string_view::npos;
}

// Takes the first character off a non-empty valid text.
char32_t take_first(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t num_bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t c = num_bytes == 1 ? lead : lead & (0x7Fu >> num_bytes);
  for (std::size_t i = 1; i < num_bytes && i < text.size(); ++i) {
    c = (c << 6) | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  text.remove_prefix(std::min(num_bytes, text.size()));
  return c;
}

char32_t first_character(std::string_view text) {
  return take_first(text);
}

char32_t take_last(std::string_view& text) {
  std::size_t start = text.size() - 1;
  while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
  const char32_t c = first_character(text.substr(start));
  text = text.substr(0, start);
  return c;
}

bool joins_the_one_before(char32_t c) {
  return is_in(kSentenceMarks, c) || is_in(kClauseMarks, c) || is_in(kClosing, c) ||
         is_in(kTrailing, c) || is_in(kCombining, c);
}

// "Dr", "J", "p.m": what stands before a full stop that ends no sentence.
bool is_abbreviation(std::string_view text) {
  constexpr std::array<std::string_view, 10> kKnown = {"Mr", "Mrs",  "Ms",  "Dr",  "St",
                                                       "vs", "Prof", "e.g", "i.e", "Sr"};
  while (!text.empty() && is_in(kOpening, first_character(text))) take_first(text);
  const bool is_initial = text.size() == 1 && text[0] >= 'A' && text[0] <= 'Z' && text[0] != 'I';
  return is_initial || std::ranges::find(kKnown, text) != kKnown.end();
}

bool begins_in_lower_case(std::string_view text) {
  return !text.empty() && text[0] >= 'a' && text[0] <= 'z';
}

}  // namespace

int num_columns(std::string_view text) {
  int num = 0;
  while (!text.empty()) {
    const char32_t c = take_first(text);
    if (!is_in(kCombining, c)) num += is_in(kWide, c) ? 2 : 1;
  }
  return num;
}

bool may_break_between(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty()) return true;
  const char32_t last = take_last(before);
  const char32_t first = first_character(after);
  if (!is_in(kUnspaced, last) && !is_in(kUnspaced, first)) return false;
  return !is_in(kOpening, last) && !joins_the_one_before(first);
}

PhraseEnd phrase_end(std::string_view text, std::string_view next) {
  std::string_view rest = text;
  char32_t last = 0;
  while (!rest.empty() && (last == 0 || is_in(kClosing, last))) last = take_last(rest);
  if (is_in(kClauseMarks, last)) return PhraseEnd::kClause;
  if (!is_in(kSentenceMarks, last)) return PhraseEnd::kNone;
  if (last == U'.' && (is_abbreviation(rest) || begins_in_lower_case(next)))
    return PhraseEnd::kNone;
  return PhraseEnd::kSentence;
}

}  // namespace steno::output
