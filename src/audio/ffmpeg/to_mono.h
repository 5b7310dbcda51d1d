// Decoded frames of one kind (format, rate, channels) -> mono f32 at 16 kHz. Private to the room.
// Path: decoder -> here -> decoder's reader.   Source: libswresample's polyphase resampler.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audio/ffmpeg/handles.h"

namespace steno::audio {

class ToMono {
 public:
  // `channel` alone, or all mixed. Throws Error(kInvalidAudio) for a rate or a number of channels
  // that no recording has, Error(kInvalidValue) for a channel that is not there.
  ToMono(const AVFrame& kind, std::optional<int> channel, const std::string& name);

  bool takes(const AVFrame& frame) const;

  // Appends the samples that are ready; the filter keeps some 2 ms back. Non-finite samples count
  // as 0.
  void push(AVFrame& frame, std::vector<float>& out);

  // Appends what the filter kept. Altogether exactly round(frames' samples * 16000 / rate) come
  // out.
  void drain(std::vector<float>& out);

  std::int64_t num_non_finite() const { return num_non_finite_; }

 private:
  AVSampleFormat format_;
  int rate_hz_;
  int num_channels_;
  ResamplerHandle resampler_;
  std::int64_t num_in_ = 0;
  std::int64_t num_out_ = 0;
  std::int64_t num_non_finite_ = 0;
};

}  // namespace steno::audio
