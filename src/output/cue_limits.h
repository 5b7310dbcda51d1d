// How large a subtitle may be.
#pragma once

namespace steno::output {

// What subtitle makers agree on for Latin scripts: two lines of 42 columns, seven seconds
// (Netflix's Timed Text Style Guide, the BBC's guidelines). 0: not limited.
struct CueLimits {
  int max_line_columns = 42;   // full-width characters (Chinese, Japanese, Korean) take two
  int max_lines = 2;           // of a cue
  int max_words_per_line = 0;  // a word of a script without spaces is one of the word list
  double max_cue_s = 7;
};

}  // namespace steno::output
