// Subtitles as plain data: text, whole milliseconds, in order.
//
// Path: output/transcript_cues -> here -> output/subtitles.   Times in ms.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transcribe/transcript.h"

namespace steno::output {

struct Cue {
  std::int64_t start_ms = 0;
  std::int64_t end_ms = 0;
  std::string text;                // never empty, one line, valid UTF-8, no space at either end
  std::vector<std::string> lines;  // the text as it is shown, not empty
  std::string channel;             // as the segment's
};

// The segments that have text, a line each. Each cue starts at or after the end of the one before
// and ends at or after its own start, whatever the segments say; a time that is no number becomes
// the earliest one that keeps this true.
std::vector<Cue> make_cues(const std::vector<transcribe::Segment>& segments);

// `text` as one valid UTF-8 line: line breaks become a space, space at both ends is gone.
std::string one_line(std::string_view text);

// Rounds half to even, as Python's round() does. Negative times and NaN are 0; 99,999 hours is the
// most.
std::int64_t to_ms(double time_s);

// "HH:MM:SS,mmm"
std::string srt_time(std::int64_t time_ms);

// "MM:SS.mmm", from one hour on "HH:MM:SS.mmm"
std::string vtt_time(std::int64_t time_ms);

}  // namespace steno::output
