// What characters mean for the lines of a subtitle: how wide they are, where a line may end, where
// a sentence does. Pure. Texts are valid UTF-8.
//
// Path: output/pieces -> here.
// Source: Unicode 15, East_Asian_Width and UAX #14 (line breaking), reduced to what speech is
// written with.
#pragma once

#include <string_view>

namespace steno::output {

// As a terminal or a player with a fixed-width font shows it: full-width characters and emoji take
// two columns, combining marks none.
int num_columns(std::string_view text);

// Whether a line may end between two texts that have no space between them: in scripts that are
// written without spaces, but never before a closing mark or a small kana, nor after an opening
// one.
bool may_break_between(std::string_view before, std::string_view after);

enum class PhraseEnd { kNone, kClause, kSentence };

// What ends with `text`, when `next` comes after it (empty: nothing). A full stop of "Dr." or of
// "J. Smith" ends nothing.
PhraseEnd phrase_end(std::string_view text, std::string_view next);

}  // namespace steno::output
