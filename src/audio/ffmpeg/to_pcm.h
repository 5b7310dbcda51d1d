// Decoded frames of one kind (format, rate, channels) -> f32 at 16 kHz: one plane, or one a
// channel. Private to the room. Path: decoder -> here -> decoder's reader.   Source:
// libswresample's polyphase resampler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audio/ffmpeg/handles.h"
#include "audio/stereo_mix.h"

namespace steno::audio {

// A row of samples for each output, all of one length.
using Planes = std::vector<std::vector<float>>;

// Which channels of the input become which output.
struct ChannelPlan {
  std::optional<int> channel = std::nullopt;  // that one alone; without it all are mixed
  // Instead: output i is channel i, or the last one where the input has fewer.
  std::optional<int> num_split = std::nullopt;

  int num_outputs() const { return num_split.value_or(1); }
};

class ToPcm {
 public:
  // Throws Error(kInvalidAudio) for a rate or a number of channels that no recording has,
  // Error(kInvalidValue) for a channel that is not there.
  ToPcm(const AVFrame& kind, const ChannelPlan& plan, const std::string& name);

  bool takes(const AVFrame& frame) const;

  // Appends the samples that are ready; the filter keeps some 2 ms back, a mix of two
  // sides 10 ms. Non-finite samples count
  // as 0. Requires plan.num_outputs() planes.
  void push(AVFrame& frame, Planes& out);

  // Appends what the filter kept. Altogether exactly round(frames' samples * 16000 / rate) come
  // out.
  void drain(Planes& out);

  std::int64_t num_non_finite() const { return num_non_finite_; }
  // Seconds where the sides would have cancelled each other (stereo_mix.h).
  double left_alone_s() const;
  // The least part of the sides' energy that their mean kept; 1 where two sides are not mixed.
  double least_kept() const { return stereo_mix_ ? stereo_mix_->least_kept() : 1.0; }

 private:
  void mix_sides(const AVFrame& frame);
  void push_mixed(Planes& out);
  void resample(const std::uint8_t* const* samples, int count, Planes& out);

  AVSampleFormat format_;
  int rate_hz_;
  int num_channels_;
  ResamplerHandle to_float_;  // where two sides are mixed and are not f32 planes yet
  std::optional<StereoMix> stereo_mix_;
  Planes sides_;
  std::vector<float> mixed_;
  ResamplerHandle resampler_;
  std::int64_t num_in_ = 0;
  std::int64_t num_out_ = 0;
  std::int64_t num_non_finite_ = 0;
};

}  // namespace steno::audio
