// Where the next decoded frame belongs: silence is put in where packets were lost or not recorded,
// so that a time in the transcript is a time in the recording.
//
// DIFFERS: `ffmpeg -i x -f s16le` joins the pieces, and every word after a loss comes too early.
// Pure: no clock, no I/O.   Units: seconds of the container's clock, samples at 16 kHz.
#pragma once

#include <cstdint>
#include <optional>

#include "audio/pcm.h"

namespace steno::audio {

class Timeline {
 public:
  // Lags below this are jitter of the recorder's clock, not loss: Chrome's MediaRecorder stamps its
  // 60 ms frames by arrival.
  static constexpr double kMinGap_s = 0.1;
  // A longer jump is a clock that was set, not a pause. The bound on the sum keeps a small hostile
  // file from becoming days of silence.
  static constexpr double kMaxGap_s = 600;
  static constexpr double kMaxGapSum_s = 3600;
  // A clock that falls back this far started anew (joined files).
  static constexpr double kMaxAhead_s = 2;

  // `start_s`: the container's time of sample 0; without it the first frame is at 0.
  explicit Timeline(std::optional<double> start_s) : origin_s_(start_s) {}

  // Samples of silence to put before a frame stamped `pts_s`. After a loss the stamp is trusted to
  // the sample.
  std::int64_t gap_before(std::optional<double> pts_s, bool after_loss);

  // Time passed that the container's clock did not count (or, below 0, did not pass).
  void lose(double uncounted_s) {
    if (origin_s_) *origin_s_ -= uncounted_s;
  }

  // Samples (of frames or silence) were put out.
  void advance(double num_samples) { position_samples_ += num_samples; }

  double position_s() const { return position_samples_ / kSampleRate; }

  double gap_sum_s() const { return gap_sum_s_; }  // put in after the first frame
  int num_jumps() const { return num_jumps_; }     // forward jumps that were not filled

 private:
  std::optional<double> origin_s_;
  double position_samples_ = 0;
  double gap_sum_s_ = 0;
  bool first_ = true;
  int num_jumps_ = 0;
};

}  // namespace steno::audio
