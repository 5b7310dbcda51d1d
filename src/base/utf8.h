// Valid UTF-8 as an invariant: every text that leaves the program went through here.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace steno::utf8 {

// The longest prefix of `bytes` that ends on a character boundary, in bytes. An incomplete
// character at the end (which more bytes could complete) is left out; malformed bytes count as
// boundaries.
std::size_t complete_prefix_bytes(std::string_view bytes);

// Malformed sequences become U+FFFD, one for each maximal subpart (Unicode 15, 3.9, table 3-8),
// which is what Python's bytes.decode("utf-8", errors="replace") does.
std::string replace_invalid(std::string_view bytes);

bool is_valid(std::string_view bytes);

// Control characters (U+0000 to U+001F, DEL) are shown as \xNN, but for those in `kept`.
std::string escape_control(std::string_view text, std::string_view kept = {});

// For people: valid UTF-8 without control characters, so that a file name cannot drive the terminal
// or break a line.
std::string printable(std::string_view text);

// ASCII white space and the Unicode spaces that Python's str.strip() removes, at both ends.
std::string_view strip(std::string_view text);

}  // namespace steno::utf8
