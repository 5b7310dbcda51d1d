#include "text/pretokenizer.h"

#include <utf8proc.h>

#include <cstddef>

namespace steno::text {
namespace {

enum class Kind { kSpace, kLetter, kNumber, kOther };

struct Character {
  Kind kind;
  std::size_t num_bytes;
};

// \s is Unicode's White_Space property in the reference's regex engine (Rust's regex-syntax).
// TRAP: not Python's str.isspace(), which has U+001C..U+001F too.
bool is_white_space(utf8proc_int32_t c) {
  return (c >= 0x09 && c <= 0x0D) || c == 0x20 || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

// DIFFERS: categories come from utf8proc's Unicode version, the reference's from Rust's. Characters
// that only the newer of the two knows are kOther in one and may be letters in the other.
Kind kind_of(utf8proc_int32_t c) {
  if (is_white_space(c)) return Kind::kSpace;
  switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Kind::kLetter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Kind::kNumber;
    default:
      return Kind::kOther;
  }
}

// Requires a non-empty, valid `text`.
Character first_character(std::string_view text) {
  utf8proc_int32_t code_point = 0;
  const utf8proc_ssize_t num_bytes =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &code_point);
  return {kind_of(code_point), static_cast<std::size_t>(num_bytes)};
}

// 's|'t|'re|'ve|'m|'ll|'d, or 0.
std::size_t contraction_bytes(std::string_view text) {
  for (const std::string_view contraction : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(contraction)) return contraction.size();
  }
  return 0;
}

// The bytes of the characters of one kind from `begin` on.
std::size_t run_end(std::string_view text, std::size_t begin, Kind kind) {
  while (begin < text.size()) {
    const Character character = first_character(text.substr(begin));
    if (character.kind != kind) break;
    begin += character.num_bytes;
  }
  return begin;
}

// \s+(?!\S)|\s+ : white space leaves its last character to the word that follows, unless it is the
// only one.
std::size_t white_space_end(std::string_view text) {
  std::size_t last = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const Character character = first_character(text.substr(end));
    if (character.kind != Kind::kSpace) return last > 0 ? last : end;
    last = end;
    end += character.num_bytes;
  }
  return end;
}

// Requires a non-empty `text`.
std::size_t first_piece_bytes(std::string_view text) {
  if (const std::size_t num_bytes = contraction_bytes(text)) return num_bytes;
  const std::size_t word = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Kind kind = first_character(text.substr(word)).kind;
  return kind == Kind::kSpace ? white_space_end(text) : run_end(text, word, kind);
}

}  // namespace

std::vector<std::string_view> split_into_pieces(std::string_view text) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    pieces.push_back(text.substr(0, first_piece_bytes(text)));
    text.remove_prefix(pieces.back().size());
  }
  return pieces;
}

}  // namespace steno::text
