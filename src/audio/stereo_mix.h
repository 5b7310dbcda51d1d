// Two sides into one, without losing what is on both with opposite signs: one side wired the wrong
// way round is common in calls and interviews, and the plain mean of such sides is silence.
//
// DIFFERS: `ffmpeg -ac 1` takes the mean whatever it gives. Here the mean fades to the left side
// while the sides cancel; everywhere else it is the mean to the last bit.
// Path: ffmpeg/to_pcm -> here -> ffmpeg/to_pcm.   Pure: no clock, no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace steno::audio {

class StereoMix {
 public:
  // The sides cancel where the mean keeps less than this part of their energy (-20 dB). Two voices,
  // a side each, keep half; a mistake costs nothing, as what is on both sides is on the left.
  static constexpr double kCancelled = 0.01;
  static constexpr double kCancelledNoMore = 0.04;
  // Sides below -80 dB say nothing about their phase.
  static constexpr double kAudible = 1e-8;
  // How far back a decision looks: long enough that no vowel decides, short enough to lose no word.
  static constexpr double kMemory_s = 0.1;

  // Blocks of 10 ms, counted from the first sample: how the input is cut up plays no part.
  explicit StereoMix(int rate_hz) : rate_hz_(rate_hz), block_size_(rate_hz / 100) {}

  // Appends the blocks that are whole; both sides are of one size.
  void push(std::span<const float> left, std::span<const float> right, std::vector<float>& out);
  // Appends the rest.
  void flush(std::vector<float>& out);

  // Samples where the left side stands alone.
  std::int64_t num_left_alone() const { return num_left_alone_; }
  // The least part of their energy that the mean of the sides kept so far.
  double least_kept() const { return least_kept_; }

 private:
  void observe(std::span<const float> left, std::span<const float> right);
  void mix_block(std::span<const float> left, std::span<const float> right,
                 std::vector<float>& out);

  int rate_hz_;
  std::size_t block_size_;
  std::vector<float> left_;  // less than a block
  std::vector<float> right_;
  double recent_sides_ = 0;  // energies, fading
  double recent_mean_ = 0;
  double least_kept_ = 1;
  bool left_alone_ = false;
  bool heard_ = false;  // a block that was audible
  std::int64_t num_left_alone_ = 0;
};

}  // namespace steno::audio
