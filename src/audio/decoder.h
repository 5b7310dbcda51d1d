// Untrusted bytes -> PCM: whatever the container, mono f32 at 16 kHz, a block at a time.
//
// The content is sniffed, names are not trusted. Memory is bounded whatever the length (an mp4
// keeps its index in memory, some 3 MB an hour). What is broken is passed over and reported;
// silence takes its place, so times stay true.
// Path: source -> ffmpeg/demuxer -> here (decode) -> ffmpeg/to_mono -> transcribe.
// Threads: a Decoder belongs to one thread at a time; any number of them run side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "audio/pcm.h"
#include "audio/source.h"

namespace steno::audio {

struct DecodeOptions {
  // Which audio stream: by its place among the audio streams, else by language tag ("jpn", "en"),
  // else the one that the container marks as default, else the first.
  std::optional<int> audio_stream = std::nullopt;
  std::string language = {};
  // One channel alone; without it all are mixed (a stereo file to the mean of its sides).
  std::optional<int> channel = std::nullopt;
  // The first decode error throws instead of being passed over.
  bool strict = false;
  // Polled while reading; when true, the call throws Error(kUnavailable).
  std::function<bool()> cancelled = {};
};

class Decoder {
 public:
  // Opens the input and decodes up to the first samples, so that what cannot be decoded at all is
  // known here. Throws Error: kNotFound, kInvalidAudio, kInvalidValue for a stream or channel that
  // is not there, kUnavailable when reading fails.
  static Decoder open(const Source& source, const DecodeOptions& options = {});
  ~Decoder();
  Decoder(Decoder&&) noexcept;
  Decoder& operator=(Decoder&&) noexcept;

  // Fills `out` and returns how many samples it wrote: fewer than out.size() only at the end, then
  // 0. Samples are finite, not clipped. Throws as open does.
  std::size_t read(std::span<float> out);

  const AudioInfo& info() const;

  // Complete once read() has returned less than it was asked for.
  const DecodeReport& report() const;

 private:
  struct State;
  explicit Decoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The whole input at once, for tests and short inputs.
std::vector<float> decode_all(const Source& source, const DecodeOptions& options = {});

}  // namespace steno::audio
