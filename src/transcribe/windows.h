// Spans of speech -> windows that a model can take, cut at real pauses. Pure.
//
// A window is one stretch of audio with all that lies in it, pauses too: nothing is cut out and
// glued, so times need no map back and no word is joined to a word that it did not follow.
// Path: vad/spans -> here -> transcribe/window_reader.
// Units: samples at audio::kSampleRate.
#pragma once

#include <cstdint>
#include <vector>

#include "audio/pcm.h"
#include "vad/spans.h"

namespace steno::transcribe {

struct SpeechWindow {
  std::int64_t begin_samples = 0;
  std::int64_t end_samples = 0;
  std::vector<vad::SpeechSpan> speech;  // inside it, in order
};

struct WindowRules {
  std::int64_t max_samples = 30 * audio::kSampleRate;
  // A window that must be cut is filled at least so far, if there is a pause behind that; among
  // those the longest is taken.
  double min_fill = 0.5;
  // A longer pause ends a window: decoding stops early at long ones, and they cost as much as
  // speech.
  std::int64_t max_pause_samples = 4 * audio::kSampleRate;
  // Left before and behind the speech, as far as the pause and the window's length allow: a
  // detector of speech is late on soft first sounds, and whole first words are lost with 0.2 s.
  std::int64_t lead_samples = audio::kSampleRate;
  std::int64_t trail_samples = audio::kSampleRate / 2;
};

class WindowPlanner {
 public:
  explicit WindowPlanner(const WindowRules& rules) : rules_(rules) {}

  // Spans in order, none longer than max_samples. Returns the windows that became
  // certain.
  std::vector<SpeechWindow> push(const std::vector<vad::SpeechSpan>& spans);
  // No span that is pushed from now on begins before `sample`: what a long pause ends is closed
  // without waiting for the speech behind the pause, which may be hours away.
  std::vector<SpeechWindow> advance(std::int64_t sample);
  // Closes what is open: no window reaches over `sample`, the end of a clip or of the audio.
  std::vector<SpeechWindow> break_at(std::int64_t sample);

  // No window begins before `sample`, where a clip begins.
  void set_begin(std::int64_t sample) { last_end_ = std::max(last_end_, sample); }

  // Where the next window may begin, if no span that is pushed from now on begins before
  // `uncertain_sample`: audio before it is not needed any more.
  std::int64_t first_needed_sample(std::int64_t uncertain_sample) const;

 private:
  std::size_t choose_cut(std::int64_t next_begin) const;
  void cut(std::size_t num_spans, std::int64_t next_begin, std::vector<SpeechWindow>& windows);

  WindowRules rules_;
  std::vector<vad::SpeechSpan> open_;
  std::int64_t last_end_ = 0;  // of the last window, or the last break
};

// The part of the spans that lies in [begin, end), in seconds.
double speech_s(const std::vector<vad::SpeechSpan>& spans, std::int64_t begin_samples,
                std::int64_t end_samples);

}  // namespace steno::transcribe
