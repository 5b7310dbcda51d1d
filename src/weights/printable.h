// Names out of untrusted files, made fit for a message: one line, printable, not endless.
#pragma once

#include <string>
#include <string_view>

namespace steno::weights {

// 'name' in quotes; bytes outside printable ASCII (NUL, newline, terminal escapes) become \xNN, and
// what is longer than 120 bytes is cut with "...".
std::string printable(std::string_view name);

}  // namespace steno::weights
