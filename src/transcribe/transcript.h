// The result: what was said, when, how sure, and how much of the audio it covers. Plain data.
//
// Times are seconds in the audio's own presentation time, non-decreasing and inside
// [0, duration_s]. All texts are valid UTF-8.
// Path: transcribe/job -> here -> output.
#pragma once

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
};

struct Transcript {
  std::string source;  // the name the audio was given under
  std::string task = "transcribe";
  std::string language;             // ISO 639-1 code
  double language_probability = 0;  // 0 when the language was given
  double duration_s = 0;            // of the decoded audio
  double covered_s = 0;             // of it, what was decoded without errors
  int decode_errors = 0;
  std::vector<std::string> warnings;
  std::string model;
  std::string compute_type;
  std::string version;
  std::string text;
  std::vector<Segment> segments;
};

}  // namespace steno::transcribe
