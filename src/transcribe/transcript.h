// The result: what was said, when, how sure, and how much of the audio it covers. Plain data.
//
// Times are seconds in the audio's own presentation time, non-decreasing and inside
// [0, duration_s]. All texts are valid UTF-8.
// Path: transcribe/job -> here -> output.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace steno::transcribe {

struct Word {
  std::string text;  // with its leading space, as the tokens spell it
  double start_s = 0;
  double end_s = 0;
  double probability = 0;
};

// Fields as in openai-whisper's result (whisper/transcribe.py, new_segment).
struct Segment {
  int id = 0;
  int seek = 0;  // first frame (10 ms) of the window that it was decoded from
  double start_s = 0;
  double end_s = 0;
  std::string text;  // with its leading space
  std::vector<int> tokens;
  double temperature = 0;
  double avg_logprob = 0;
  double compression_ratio = 0;
  double no_speech_prob = 0;
  std::vector<Word> words;
  std::string language;            // ISO 639-1 code; empty: the transcript's
  std::string channel;             // "left" or "right"; empty: the channels were mixed
  std::vector<std::string> flags;  // what a guard saw or did: "repetition", "no_speech",
                                   // "low_confidence", "early_end", "prompt_leak", "hotword"
};

// A part of the audio without a trustworthy text.
struct Interval {
  double begin_s = 0;
  double end_s = 0;
  std::string reason;  // "decode_error", "no_text", ...
};

// The audio stream that was transcribed.
struct AudioStream {
  int index = 0;         // among all streams of the file, as FFmpeg counts them
  std::string codec;     // FFmpeg's name: "aac", "opus"
  std::string language;  // as the file tags it: "jpn"; empty: not tagged
};

struct Transcript {
  std::string source;  // the name the audio was given under
  std::string task = "transcribe";
  std::string language;             // ISO 639-1 code
  double language_probability = 0;  // 0 when the language was given
  double duration_s = 0;            // of the decoded audio
  double covered_s = 0;             // of it, what was decoded without errors
  std::optional<double> speech_s;   // of it, what a speech detector took for speech, if one ran
  std::vector<Interval> missing;    // ordered by begin_s; empty: the transcript is complete
  int decode_errors = 0;
  std::optional<AudioStream> stream;  // absent when it is not known
  std::vector<std::string> warnings;
  std::string model;
  std::string compute_type;
  std::string version;
  std::string text;
  std::vector<Segment> segments;
};

}  // namespace steno::transcribe
