// Probabilities -> spans of speech: hysteresis, shortest speech and silence, padding, longest span.
//
// Path: vad/speech_detector -> here -> transcribe/windows.
// Source: silero-vad 6.2.3, get_speech_timestamps_from_probs, equal to it in every option below.
// Units: samples at 16 kHz; probability i stands for samples [i, i + 1) * kChunkSamples.
// Pure: no audio, no clock. Threads: a SpanTracker belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "vad/chunk.h"

namespace steno::vad {

struct SpeechSpan {
  std::int64_t begin_samples = 0;
  std::int64_t end_samples = 0;

  friend bool operator==(const SpeechSpan&, const SpeechSpan&) = default;
};

// Defaults are Silero's. faster-whisper takes min_silence_ms 2000 and speech_pad_ms 400.
struct SpanOptions {
  double threshold = 0.5;  // speech begins at or above
  std::optional<double> neg_threshold =
      std::nullopt;                   // and pauses below; else max(threshold - 0.15, 0.01)
  std::int64_t min_speech_ms = 250;   // a span must be longer, or it is dropped
  std::int64_t min_silence_ms = 100;  // a pause this long ends a span
  std::int64_t speech_pad_ms = 30;    // added on both sides; neighbours share a shorter pause
  double max_speech_s = std::numeric_limits<double>::infinity();  // then cut at the longest pause
  std::int64_t min_pause_ms = 98;  // of the pauses that such a cut may choose among
};

// Yields each span as soon as it is known how far its padding may reach.
class SpanTracker {
 public:
  // Requires durations of 0 or more.
  explicit SpanTracker(const SpanOptions& options);

  // The spans that became certain, in order.
  std::vector<SpeechSpan> push(std::span<const float> probabilities);
  // No span to come begins before. TRAP: that may be two of the longest spans back, when speech has
  // no pause: the first one's padding depends on where the second one begins.
  std::int64_t first_uncertain_sample() const;
  // The rest. Requires as many probabilities pushed as total_samples has chunks, the last one
  // perhaps partial. Nothing may be pushed afterwards.
  std::vector<SpeechSpan> finish(std::int64_t total_samples);

 private:
  struct Pause {
    std::int64_t begin = 0;
    std::int64_t duration = 0;
  };

  void step(double probability);
  void cut_long_speech(std::int64_t now);
  void forget_speech();
  void close(std::int64_t end);
  void release_waiting();

  double threshold_;
  double neg_threshold_;
  std::int64_t min_speech_samples_;
  std::int64_t min_silence_samples_;
  std::int64_t min_pause_samples_;
  std::int64_t pad_samples_;
  double max_speech_samples_;

  std::int64_t num_chunks_ = 0;
  std::optional<std::int64_t> begin_;        // of the speech that is going on
  std::optional<std::int64_t> pause_begin_;  // of the pause that may end it
  std::optional<Pause> longest_pause_;       // inside it
  std::optional<SpeechSpan> waiting_;        // begin is final, end is not padded yet
  std::vector<SpeechSpan> certain_;
};

// All spans of a recording at once.
std::vector<SpeechSpan> find_speech(std::span<const float> probabilities,
                                    std::int64_t total_samples, const SpanOptions& options);

}  // namespace steno::vad
