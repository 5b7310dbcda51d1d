// UTF-8 by the table of well-formed sequences. Source: Unicode 15, chapter 3.9, tables 3-7 and 3-8.
#include "base/utf8.h"

#include <fmt/core.h>

#include <cstdint>

namespace steno::utf8 {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr char32_t kMalformed = 0xFFFFFFFF;

// One character, or one maximal subpart of a malformed sequence.
struct Unit {
  char32_t code_point = kMalformed;
  std::size_t num_bytes = 1;
  bool cut_off = false;  // the text ends inside a sequence that is well-formed so far
};

// The number of bytes after `lead`, or -1 where it cannot start a sequence.
int num_trail_bytes(std::uint8_t lead) {
  if (lead < 0x80) return 0;
  if (lead < 0xC2) return -1;  // a trail byte, or an overlong form of ASCII
  if (lead < 0xE0) return 1;
  if (lead < 0xF0) return 2;
  if (lead < 0xF5) return 3;
  return -1;  // above U+10FFFF
}

// The first trail byte is narrower after four leads: no overlong forms, surrogates or code points
// above U+10FFFF.
bool is_first_trail(std::uint8_t lead, std::uint8_t byte) {
  const std::uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return low <= byte && byte <= high;
}

// Requires a non-empty `bytes`.
Unit read_unit(std::string_view bytes) {
  const auto lead = static_cast<std::uint8_t>(bytes[0]);
  const int num_trail = num_trail_bytes(lead);
  if (num_trail < 0) return {};
  if (num_trail == 0) return {.code_point = lead};
  char32_t code_point = lead & (0x3Fu >> num_trail);
  for (std::size_t i = 1; i <= static_cast<std::size_t>(num_trail); ++i) {
    if (i == bytes.size()) return {.num_bytes = i, .cut_off = true};
    const auto byte = static_cast<std::uint8_t>(bytes[i]);
    const bool fits = i == 1 ? is_first_trail(lead, byte) : (byte & 0xC0) == 0x80;
    if (!fits) return {.num_bytes = i};
    code_point = (code_point << 6) | (byte & 0x3Fu);
  }
  return {.code_point = code_point, .num_bytes = static_cast<std::size_t>(num_trail) + 1};
}

// Where the last character of `bytes` starts, if one of its last four bytes can start one.
std::size_t last_start(std::string_view bytes) {
  for (std::size_t back = 1; back <= 4 && back <= bytes.size(); ++back) {
    const auto byte = static_cast<std::uint8_t>(bytes[bytes.size() - back]);
    if ((byte & 0xC0) != 0x80) return bytes.size() - back;
  }
  return bytes.size() - 1;
}

// Python's str.isspace(): bidirectional class WS, B or S, or category Zs.
bool is_python_space(char32_t c) {
  return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 ||
         c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F ||
         c == 0x205F || c == 0x3000;
}

}  // namespace

std::size_t complete_prefix_bytes(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const std::size_t start = last_start(bytes);
  return read_unit(bytes.substr(start)).cut_off ? start : bytes.size();
}

std::string replace_invalid(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const Unit unit = read_unit(bytes);
    out += unit.code_point == kMalformed ? kReplacement : bytes.substr(0, unit.num_bytes);
    bytes.remove_prefix(unit.num_bytes);
  }
  return out;
}

bool is_valid(std::string_view bytes) {
  while (!bytes.empty()) {
    const Unit unit = read_unit(bytes);
    if (unit.code_point == kMalformed) return false;
    bytes.remove_prefix(unit.num_bytes);
  }
  return true;
}

std::string escape_control(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    const bool is_control = byte < 0x20 || byte == 0x7F;
    if (is_control && kept.find(c) == std::string_view::npos) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

std::string printable(std::string_view text) {
  return escape_control(replace_invalid(text));
}

std::string_view strip(std::string_view text) {
  while (!text.empty()) {
    const Unit unit = read_unit(text);
    if (!is_python_space(unit.code_point)) break;
    text.remove_prefix(unit.num_bytes);
  }
  while (!text.empty()) {
    const std::size_t start = last_start(text);
    const Unit unit = read_unit(text.substr(start));
    if (!is_python_space(unit.code_point) || start + unit.num_bytes != text.size()) break;
    text.remove_suffix(unit.num_bytes);
  }
  return text;
}

}  // namespace steno::utf8
