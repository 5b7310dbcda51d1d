// Standard output, which is the result and so must not get lost, and names shown to people.
#pragma once

#include <string>
#include <string_view>

namespace steno::cli {

// Writes all of `text`. Throws Error(kUnavailable) when nobody reads any more or the disk is full.
// Requires that SIGPIPE is ignored.
void write_stdout(std::string_view text);

// Valid UTF-8 in which control characters are shown as \xNN: a file name cannot drive the terminal
// or break a line.
std::string printable(std::string_view text);

}  // namespace steno::cli
