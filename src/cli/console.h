// Standard output, which is the result and so must not get lost; standard error, which may.
#pragma once

#include <string_view>

namespace steno::cli {

// Writes all of `text`. Throws Error(kUnavailable) when nobody reads any more or the disk is full.
// Requires that SIGPIPE is ignored.
void write_stdout(std::string_view text);

// What cannot be written is dropped: the results count, not what is said about them.
void write_stderr(std::string_view text);

// Fills closed standard streams, so that no file that is opened later becomes one of them. Reading
// standard input and writing standard output then fails as before.
void occupy_standard_streams();

}  // namespace steno::cli
