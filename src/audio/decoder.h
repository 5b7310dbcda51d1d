// Untrusted bytes -> PCM: whatever the container, f32 at 16 kHz, a block at a time: mono, or a
// plane for each channel of the input.
//
// The content is sniffed, names are not trusted. Memory is bounded whatever the length (an mp4
// keeps its index in memory, some 3 MB an hour). What is broken is passed over and reported;
// silence takes its place, so times stay true.
// Path: source -> ffmpeg/demuxer -> here (decode) -> ffmpeg/to_pcm -> transcribe.
// Threads: a Decoder belongs to one thread at a time; any number of them run side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audio/pcm.h"
#include "audio/source.h"

namespace steno::audio {

inline constexpr std::int64_t kMaxSpoolBytes = std::int64_t{64} << 30;  // two days of video

struct DecodeOptions {
  // Which audio stream: by its place among the audio streams, else the first whose language tag is
  // `language`, else the first that the container marks as default, else the first.
  std::optional<int> audio_stream = std::nullopt;
  std::string language = {};
  // Whether a container's tag means `language` too ("jpn" and "ja-JP" for "ja"); asked once no tag
  // is equal to it.
  std::function<bool(std::string_view tag, std::string_view language)> same_language = {};
  // One channel alone; without it all are mixed (of two the mean, or the left one where the two
  // cancel each other).
  std::optional<int> channel = std::nullopt;
  // Every channel is an output of its own, from one pass over the input. Not together with channel.
  bool split = false;
  // Whatever would only be reported throws instead: broken packets, missing time, an input that was
  // cut off, samples that are no numbers.
  bool strict = false;
  // A pipe with a container that has to be stored before it can be read (mp4, mp3) may be this
  // long.
  std::int64_t max_spool_bytes = kMaxSpoolBytes;
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

  // 1, or the number of channels with DecodeOptions::split.
  int num_outputs() const;

  // Fills `out` and returns how many samples it wrote: fewer than out.size() only at the end, then
  // 0. Samples are finite, not clipped. Requires num_outputs() == 1. Throws as open does.
  std::size_t read(std::span<float> out);

  // The same for any number of outputs, in step: `outs` are num_outputs() spans of one size.
  std::size_t read_channels(std::span<const std::span<float>> outs);

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
std::vector<std::vector<float>> split_all(const Source& source, DecodeOptions options = {});

}  // namespace steno::audio
