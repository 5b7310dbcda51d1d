// Names out of untrusted files, made fit for a message: in quotes, one line, not endless.
#pragma once

#include <string>
#include <string_view>

namespace steno::weights {

// In single quotes; bytes outside printable ASCII (NUL, newline, terminal escapes) become \xNN, and
// what is longer than 120 bytes is cut with "...".
std::string quote(std::string_view name);

}  // namespace steno::weights
