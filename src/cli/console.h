// Standard output, which is the result and so must not get lost.
#pragma once

#include <string_view>

namespace steno::cli {

// Writes all of `text`. Throws Error(kUnavailable) when nobody reads any more or the disk is full.
// Requires that SIGPIPE is ignored.
void write_stdout(std::string_view text);

}  // namespace steno::cli
