// Whether a window's text may be believed: the checks that keep invented text out. Pure.
//
// Path: models (WindowText) -> here -> transcribe/parallel.
// Source: the thresholds are whisper/transcribe.py's (v20250625); what each guard adds is told at
// its function.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "models/model.h"
#include "transcribe/options.h"

namespace steno::transcribe {

// The no-speech token is likely and the text is not: there is nothing to read, a retry would not
// help.
bool is_silence(const models::WindowText& text, const Options& options);

// It repeats itself or is unlikely: the next temperature may do better.
bool needs_retry(const models::WindowText& text, const Options& options);

// Silence enough that the text is dropped. TRAP: not the same as is_silence(): without a
// log-probability threshold the reference drops the text too, but may retry first.
bool is_skipped(const models::WindowText& text, const Options& options);

// Of attempts that all looked wrong, the one to take: the likeliest of those that do not repeat
// themselves, else the likeliest. (The reference takes the last, which is the wildest sample.)
// Requires at least one.
const models::WindowText& best_attempt(std::span<const models::WindowText> attempts,
                                       const Options& options);

// Tokens at the end that say one thing over and over.
struct Repetition {
  std::size_t begin = 0;  // of the first copy
  std::size_t unit = 0;   // tokens in one copy
  std::size_t copies = 0;
};

// The longest run of copies at the end of `tokens`, of at least four.
std::optional<Repetition> find_repetition(std::span<const int> tokens);

// How many of a run's copies could have been said in `duration_s`, at least one: speech has fewer
// than 12 tokens a second. A real refrain keeps all of its copies.
std::size_t supported_copies(const Repetition& repetition, double duration_s);

// How far the loud tenth of the 10 ms frames of 16 kHz audio lies above its quiet tenth, dB. Speech
// alone has more than 30 (the gaps between and inside of words are quiet), speech in noise hardly
// more than the noise lies below it. 0 for less than one frame.
double loudness_range_db(std::span<const float> pcm);

// More text than could be said in `duration_s`, with a second to spare: it was not heard there.
bool is_too_fast(std::size_t num_text_tokens, double duration_s);

// The text says nothing but what the prompt said, so it may come from there: all of its words, in
// any case, are words of the prompt.
bool may_be_prompt(std::string_view text, std::string_view prompt);

}  // namespace steno::transcribe
