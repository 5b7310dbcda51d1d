// How to transcribe. Names and defaults are openai-whisper's command line's (v20250625) where it
// has them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audio/decoder.h"
#include "models/model.h"

namespace steno::transcribe {

enum class Mode {
  kParallel,    // windows cut at pauses, all at once (transcribe/parallel.h)
  kSequential,  // OpenAI's seek loop, one window after the other (transcribe/sequential.h)
};

struct Options {
  // Which stream and channels of the input, and whether damage is a failure.
  audio::DecodeOptions audio;

  Mode mode = Mode::kParallel;
  bool is_interactive = false;  // somebody waits: served before what is not
  // A code; empty: detected, by Mode::kParallel in each window, else on the first 30 s.
  std::string language;
  std::vector<std::string> allowed_languages;  // when detecting; empty: all
  bool translate = false;

  // The ladder: the first temperature is tried, the next ones when the text looks wrong.
  std::vector<double> temperatures = {0.0, 0.2, 0.4, 0.6, 0.8, 1.0};
  int beam_size = 5;
  int best_of = 5;
  double patience = 1.0;
  std::optional<double> length_penalty;
  std::uint64_t seed = 0;

  // The text looks wrong when it compresses better than this (it repeats itself) or is less likely
  // than that; and it is silence, not text, when the no-speech token is likely and the text is not.
  std::optional<double> compression_ratio_threshold = 2.4;
  std::optional<double> logprob_threshold = -1.0;
  std::optional<double> no_speech_threshold = 0.6;

  bool condition_on_previous_text = true;
  std::string initial_prompt;         // Mode::kParallel: of every window
  std::string hotwords;               // words to expect, before the prompt of every window
  bool carry_initial_prompt = false;  // keep it in front of every window, not the first only
  std::string prefix;                 // how the text of a window begins

  std::vector<int> suppress_tokens = {-1};
  bool suppress_blank = true;
  bool without_timestamps = false;
  std::optional<double> max_initial_timestamp_s = 1.0;
  bool word_timestamps = false;
  std::string prepend_punctuations = "\"'“¿([{-";                // with the word after them
  std::string append_punctuations = "\"'.。,，!！?？:：”)]}、";  // with the word before them
  // Silence longer than this around words that were probably made up is skipped, and they with it.
  // Requires word_timestamps and Mode::kSequential: the parallel mode hears silence by itself.
  std::optional<double> hallucination_silence_threshold_s;

  // Mode::kParallel: what is longer is cut at its longest pause behind half of this. Attention
  // costs the square of it. Cut at 30 s, as the reference's: windows without timestamps, and those
  // whose language is to be told, which takes all the speech there is.
  double window_length_s = 22;
  // Mode::kParallel: silence behind the audio of a window, which the reference fills up to 30 s;
  // short audio gets more. 30 or above: as the reference.
  double window_padding_s = 2;

  std::vector<double> clip_timestamps_s;  // begin, end, begin, end, ...; an odd one: to the end
  int max_new_tokens = 0;                 // for each window; 0: the model's limit
};

// What cannot be right for any model. Throws Error(kInvalidValue) naming the option as the command
// line does, its value and its range.
void check(const Options& options);

// The part of them that a model sees, for one temperature; without prompts.
models::DecodeOptions decode_options(const Options& options, double temperature);

}  // namespace steno::transcribe
