// Segments as pieces that no line breaks: a word with the punctuation that sticks to it, with
// times.
//
// Path: transcribe/transcript -> here -> output/shape_cues.   Times in ms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "output/line_breaking.h"
#include "transcribe/transcript.h"

namespace steno::output {

struct Piece {
  std::string text;  // never empty, valid UTF-8, one line, no space at either end
  bool has_space_before = false;
  int num_columns = 0;  // of the text
  std::int64_t start_ms = 0;
  std::int64_t end_ms = 0;  // not before its start, nor after the next one's start
  PhraseEnd end = PhraseEnd::kNone;
  bool ends_segment = false;
};

// The pieces of all segments, in order; their texts and spaces joined are the segments' texts.
// Where a segment has no words, or not the words of its text, its time is shared out by columns.
std::vector<Piece> make_pieces(const std::vector<transcribe::Segment>& segments);

}  // namespace steno::output
