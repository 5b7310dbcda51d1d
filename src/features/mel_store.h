// The log-mel of one recording of any length, and the normalised windows that the model reads.
// Path: features/log_mel -> here -> models/<family>/encoder.
// Source: the mel that whisper/transcribe.py keeps and slices, v20250625.
//
// Threads: append and finish on one thread, with no reader beside them; then any number of readers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/temporary_file.h"
#include "features/log_mel.h"
#include "tensor/tensor.h"

namespace steno::features {

class MelStore {
 public:
  // 32 MiB: 17 minutes of 80 bins, 10 of 128.
  static constexpr std::size_t kMemoryLimitBytes = std::size_t{32} << 20;

  // Frames past `memory_limit_bytes` go to a temporary file.
  explicit MelStore(int num_mels, std::size_t memory_limit_bytes = kMemoryLimitBytes);

  // Takes frames [n, num_mels] of LogMel. Throws Error(kUnavailable) when the disk is full.
  void append(std::span<const float> frames);
  // From now on frames at and past `content_frames` are behind the audio. They keep their part in
  // maximum(). Requires content_frames <= frames appended.
  void finish(std::int64_t content_frames);

  int num_mels() const { return num_mels_; }
  std::int64_t content_frames() const { return content_frames_; }
  // Over all frames appended, at least kSilence. Final after finish(), running before.
  float maximum() const { return maximum_; }

  // The largest value of these frames of the content, not normalised; at least kSilence.
  float loudest(std::int64_t first_frame, std::int64_t num_frames) const;

  // Normalised rows [num_frames, num_mels] from `first_frame` on; rows past the content are 0.0,
  // which is how whisper.transcribe pads a window. Requires first_frame >= 0 and num_frames >= 0.
  Tensor read_window(std::int64_t first_frame, std::int64_t num_frames) const;
  // The same, but rows past the content are the mel of the zeros behind the audio: what
  // whisper.transcribe detects the language on.
  Tensor read_window_with_silence(std::int64_t first_frame, std::int64_t num_frames) const;

 private:
  void read(std::int64_t first_frame, std::span<float> rows) const;
  Tensor read_up_to(std::int64_t end_frame, std::int64_t first_frame, std::int64_t num_frames,
                    float padding) const;

  int num_mels_;
  std::size_t memory_limit_floats_;      // whole frames
  std::vector<float> memory_;            // the first frames
  std::unique_ptr<TemporaryFile> file_;  // the rest
  std::int64_t num_frames_ = 0;
  std::int64_t content_frames_ = 0;
  float maximum_ = kSilence;
};

}  // namespace steno::features
