// One long recording decoded by several threads, a range of time each, to the very samples that one
// Decoder gives.
//
// Only where ranges can be proven to fit (tests/unit/audio/parallel_decoder_test.cc): PCM in WAV,
// RF64 and Wave64, and FLAC, whose frames stand alone. A lossy codec's frame depends on those
// before it, so mp3, aac, opus and vorbis stay serial. Anything odd in a range (damage, a file that
// was cut off, sides that nearly cancel each other) and the rest is decoded serially, so that
// warnings and samples are the serial ones. Path: source -> here (Decoder a range) -> transcribe.
// Threads: a ParallelDecoder belongs to one thread at a time; it has threads of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "audio/decoder.h"
#include "audio/pcm.h"
#include "audio/source.h"

namespace steno::audio {

class ParallelDecoder {
 public:
  // A minute of samples: so long that what is decoded twice at the seams does not count.
  static constexpr int kRange_s = 60;

  // Nothing where the input has to be decoded serially, or is too short for two ranges. At most
  // 2 * num_threads ranges are in memory (3.7 MiB a range and output). Throws as Decoder::open
  // does.
  static std::optional<ParallelDecoder> try_open(const Source& source, const DecodeOptions& options,
                                                 int num_threads, int range_s = kRange_s);
  ~ParallelDecoder();
  ParallelDecoder(ParallelDecoder&&) noexcept;
  ParallelDecoder& operator=(ParallelDecoder&&) noexcept;

  int num_outputs() const;
  // As Decoder's, sample for sample.
  std::size_t read_channels(std::span<const std::span<float>> outs);
  const AudioInfo& info() const;
  const DecodeReport& report() const;

 private:
  struct State;
  explicit ParallelDecoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace steno::audio
