// Any range of time of an input whose samples can be found by number, bit for bit as decoding it
// all gives it. Private to the room. Path: parallel_decoder -> here (demuxer, to_pcm) ->
// parallel_decoder. Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "audio/decoder.h"
#include "audio/ffmpeg/demuxer.h"
#include "audio/ffmpeg/handles.h"
#include "audio/ffmpeg/to_pcm.h"

namespace steno::audio {

class RangeDecoder {
 public:
  // Throws as Decoder::open does.
  RangeDecoder(const Source& source, const DecodeOptions& options);

  const AudioInfo& info() const { return demuxer_.info(); }
  int num_outputs() const { return plan_.num_outputs(); }

  // Whether this input has ranges: the format is one of those that are proven to, and its length is
  // known.
  bool has_ranges() const;

  // The samples of [begin_s, end_s); fewer only at the end of the input. Nothing where something is
  // odd: then only decoding it all gives the samples and the warnings.
  std::optional<Planes> decode(std::int64_t begin_s, std::int64_t end_s);

 private:
  enum class Step { kFrame, kEnd, kOdd };
  Step next_frame();
  bool place_frame(std::int64_t begin);
  bool is_whole(std::int64_t end) const;

  std::string name_;
  Demuxer demuxer_;
  CodecHandle codec_;
  PacketHandle packet_;
  FrameHandle frame_;
  ChannelPlan plan_;
  bool is_read_ = false;
  std::optional<std::int64_t> next_pts_;
};

}  // namespace steno::audio
