// The currency of the program: mono f32 samples at 16 kHz, full scale +-1, and what is known about
// them. Plain data: the one header of this room that the later rooms need.
// Path: audio/decoder -> here -> features, transcribe.
// Units: samples at kSampleRate, seconds where named _s.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace steno::audio {

inline constexpr int kSampleRate = 16000;  // Hz, what all three model families were trained on

// What the input is, known once it is open. Claims are the header's word; the truth is
// DecodeReport.
struct AudioInfo {
  std::string container;  // "wav", "mp4", "matroska", ...: from the content, never from the name
  std::string codec;      // FFmpeg's name: "pcm_s16le", "aac", "opus", ...
  int stream_index = 0;   // among all streams of the container
  int audio_stream = 0;   // among its audio streams: what DecodeOptions::audio_stream chooses
  int num_audio_streams = 0;
  std::string language;    // the container's tag for this stream, as written there; may be empty
  int sample_rate_hz = 0;  // before resampling
  int num_channels = 0;    // before the downmix
  std::optional<double> claimed_duration_s;
};

// Half-open, at kSampleRate.
struct SampleRange {
  std::int64_t begin_samples = 0;
  std::int64_t end_samples = 0;
  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

// What decoding gave, complete after the last sample was read.
struct DecodeReport {
  std::int64_t num_samples = 0;  // given to the reader, at kSampleRate; of each output
  double covered_s = 0;   // of these, decoded from the input; the rest is silence put in for losses
  int decode_errors = 0;  // packets that could not be decoded and were passed over
  // Where silence stands for what was lost or not recorded, in order. Of a recording with more than
  // some thousand holes the last range reaches to the end of the last one.
  std::vector<SampleRange> missing;
  std::vector<std::string> warnings;

  double duration_s() const { return static_cast<double>(num_samples) / kSampleRate; }
};

}  // namespace steno::audio
