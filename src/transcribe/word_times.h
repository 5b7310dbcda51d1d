// A window's aligned tokens -> the words of its segments. Pure.
//
// Tokens become words, punctuation joins its word, and where the alignment is known to be wrong
// (words stretched over a pause, at the ends of sentences and segments) it is cut short.
// Path: models (Alignment) -> here -> transcribe/sequential, or whoever has a window's segments.
// Source: whisper/timing.py, whisper/tokenizer.py split_to_word_tokens, v20250625; but for what
// DIFFERS in word_times.cc.
// Units: seconds in the audio; positions of an Alignment count from the window's begin.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.h"
#include "transcribe/options.h"
#include "transcribe/transcript.h"
#include "vad/spans.h"

namespace steno::transcribe {

struct WordRules {
  bool has_spaces = true;            // false: every character may end a word (Chinese, Thai, ...)
  double positions_per_second = 50;  // of an Alignment
  std::function<std::string(std::span<const int> tokens)> decode_text;  // as models::Model has it
  std::string_view prepend_punctuations;  // they join the word after them
  std::string_view append_punctuations;   // they join the word before them
};

// For text in `language`. `options` must outlive the rules, and so must `model`.
WordRules word_rules(const models::Model& model, const Options& options, std::string_view language);

// What to ask the model for the segments of one window, which holds `num_frames` of audio; without
// the window itself.
models::AlignRequest align_request(std::span<const Segment> segments, const Options& options,
                                   const std::string& language, std::int64_t num_frames);

struct WordWindow {
  double begin_s = 0;
  double last_speech_s = 0;  // where the last word before it ended
};

// Fills Segment::words of the segments of one window, and moves start_s and end_s to the words'.
// The words' texts joined are the segment's text. Requires segments with tokens, and the alignment
// of exactly these.
void add_word_times(std::span<Segment> segments, const models::Alignment& alignment,
                    const WordRules& rules, const WordWindow& window);

// Takes the pauses off the words' ends: alignment stretches words into them, and hangs a word by a
// few frames across one. Words without any speech stay as they are.
// DIFFERS: the reference has no detector of speech.
void cut_to_speech(std::span<Segment> segments, std::span<const vad::SpeechSpan> speech);

// Times inside [0, duration_s] that never fall, within and between the segments of a channel. The
// reference's corrections may overlap a neighbour by some tenths of a second.
void order_word_times(std::span<Segment> segments, double duration_s);

}  // namespace steno::transcribe
