// PCM to log-mel frames, as it streams in, and the normalisation that Whisper puts on top.
// Path: audio or transcribe/windows -> here -> features/mel_store or models/<family>/encoder.
// Source: whisper/audio.py log_mel_spectrogram, v20250625; also Qwen3-ASR's recipe.
// Units: PCM mono f32 at 16 kHz; frame t (10 ms) is centred on sample 160 t and 400 samples wide.
//
// Threads: an object belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "features/fft.h"
#include "features/mel_filterbank.h"
#include "tensor/tensor.h"

namespace steno::features {

inline constexpr int kHopSamples = 160;
inline constexpr int kWindowSamples = 480000;                       // 30 s, what the encoder takes
inline constexpr int kWindowFrames = kWindowSamples / kHopSamples;  // 3000
// log10 of the 1e-10 that mel energies are raised to: the value of digital silence.
inline constexpr float kSilence = -10.0F;

// Log-mel frames log10(max(mel, 1e-10)) of a stream, not normalised. Any cut gives the same bits.
//
// The stream begins with the reflection of its samples [1, 200]. Behind it lie zeros without end,
// as in whisper.transcribe, which appends 30 s of them: frames are made up to the last one that
// sees a sample, at most three past content_frames(); every later one is kSilence throughout.
class LogMel {
 public:
  explicit LogMel(int num_mels);

  int num_mels() const { return filterbank_.num_mels(); }

  // Returns the frames [n, num_mels] that became complete, valid until the next call. Frames come
  // in groups of kLanes, so up to 80 ms wait for more samples.
  std::span<const float> push(std::span<const float> pcm);
  // Returns what is left. Nothing may be pushed afterwards.
  std::span<const float> finish();

  std::int64_t num_samples() const { return num_samples_; }
  // Whole hops of audio: what transcribe walks through.
  std::int64_t content_frames() const { return num_samples_ / kHopSamples; }

 private:
  void consume(std::span<const float> samples);
  void reflect_start();
  void process_group(const float* samples);
  void append_transposed(const float* mel);

  PowerSpectrum spectrum_;
  MelFilterbank filterbank_;
  std::vector<float> window_;   // [400]
  std::vector<float> pending_;  // samples from the next frame's first one on
  std::vector<float> frames_;   // [n, num_mels], returned by the current call
  std::int64_t num_samples_ = 0;
  std::int64_t num_frames_ = 0;
  bool started_ = false;  // the reflection is in front of pending_
  bool finished_ = false;
};

// What lies further below the maximum is cut off by normalise(): nobody hears it. In log10 of
// power.
inline constexpr float kDynamicRange = 8.0F;

// In place: y = (max(x, maximum - kDynamicRange) + 4) / 4. `maximum` is over all that belongs
// together.
void normalise(std::span<float> log_mel, float maximum);

// The largest value, at least kSilence.
float maximum(std::span<const float> log_mel);

// One window of 30 s, normalised, time-major [3000, num_mels]: whisper.log_mel_spectrogram of
// whisper.pad_or_trim(pcm). Here the zeros that pad the audio count as audio, and a window that is
// full ends in a reflection.
Tensor log_mel_padded(std::span<const float> pcm, int num_mels);

// The same for a window of whisper.transcribe: of audio that ends, and then frames of 0.0, which is
// no loudness at all but what the reference pads with, up to num_frames. Audio behind that is left
// out.
Tensor log_mel_window(std::span<const float> pcm, int num_mels,
                      std::int64_t num_frames = kWindowFrames);

}  // namespace steno::features
