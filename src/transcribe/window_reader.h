// One recording on its way in: bytes -> PCM -> speech -> windows, streaming.
//
// Holds the audio from the first speech that no window has yet, some 70 s at most.
// Path: audio/decoder, vad -> transcribe/windows -> here -> transcribe/parallel.
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "audio/decoder.h"
#include "audio/source.h"
#include "ops/ops.h"
#include "transcribe/windows.h"
#include "vad/spans.h"
#include "vad/speech_detector.h"

namespace steno::transcribe {

struct AudioWindow {
  SpeechWindow window;
  std::vector<float> pcm;  // of all of it
};

// Parts of the recording to listen to, half-open, in order.
struct Clip {
  std::int64_t begin_samples = 0;
  std::int64_t end_samples = 0;
};

class WindowReader {
 public:
  // Throws as audio::Decoder::open does. `ops` must outlive the reader. No clips: all of it.
  WindowReader(const audio::Source& source, const audio::DecodeOptions& options,
               const vad::SpeechDetector& detector, ops::Ops& ops, std::vector<Clip> clips,
               const WindowRules& rules);

  // Nothing at the end. Throws as audio::Decoder::read does.
  std::optional<AudioWindow> next();

  const audio::AudioInfo& info() const { return decoder_.info(); }
  // Complete after the end.
  const audio::DecodeReport& report() const { return decoder_.report(); }
  double speech_s() const { return speech_s_; }
  // The header's word; 0 when it says nothing.
  double claimed_duration_s() const { return decoder_.info().claimed_duration_s.value_or(0); }

 private:
  void read_block();
  void take(const std::vector<vad::SpeechSpan>& spans);
  void add(std::vector<SpeechWindow> windows);
  void forget_old_audio();

  audio::Decoder decoder_;
  vad::ProbabilityStream probabilities_;
  vad::SpanTracker tracker_;
  WindowPlanner planner_;
  std::vector<Clip> clips_;
  std::size_t clip_ = 0;
  std::vector<float> audio_;  // samples [first_sample_, num_samples_)
  std::int64_t first_sample_ = 0;
  std::int64_t num_samples_ = 0;
  std::deque<SpeechWindow> ready_;
  bool has_ended_ = false;
  double speech_s_ = 0;
};

}  // namespace steno::transcribe
