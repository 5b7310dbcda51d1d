// Where the next window begins by the words of this one, and which of its segments were made up.
// Pure.
//
// Path: transcribe/word_times -> here -> transcribe/sequential.
// Source: whisper/transcribe.py, the part from `if word_timestamps:` on, v20250625.
// Units: frames of 10 ms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "transcribe/transcript.h"

namespace steno::transcribe {

struct SeekWindow {
  std::int64_t first_frame = 0;
  std::int64_t num_frames = 0;      // of audio in it
  std::int64_t window_frames = 0;   // with the padding
  std::int64_t content_frames = 0;  // of the recording
  std::int64_t next_frame = 0;      // by the timestamps
  bool ends_in_single_timestamp = false;
  double last_speech_s = 0;  // where the last word before it ended
  std::optional<double> silence_threshold_s =
      std::nullopt;  // Options::hallucination_silence_threshold_s
};

struct WordSeek {
  std::int64_t next_frame = 0;  // above first_frame
  std::size_t num_kept = 0;     // segments from the front; the others were made up
  bool is_skipped = false;      // the window is to be decoded again from a later begin
};

WordSeek seek_by_words(std::span<const Segment> segments, const SeekWindow& window);

// Where the last word ends, or the last segment when none has words; nothing without segments.
std::optional<double> last_end_s(std::span<const Segment> segments);

}  // namespace steno::transcribe
