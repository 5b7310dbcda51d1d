// From bytes to the packets of one audio stream. Private to the room.
// Path: source -> here -> decoder.   Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "audio/decoder.h"
#include "audio/ffmpeg/byte_io.h"
#include "audio/ffmpeg/handles.h"
#include "audio/pcm.h"
#include "audio/riff.h"
#include "audio/source.h"

namespace steno::audio {

class Demuxer {
 public:
  // Throws Error(kInvalidAudio) where there is no audio to read, Error(kInvalidValue) for a stream
  // that is not there.
  Demuxer(const Source& source, const DecodeOptions& options);

  const AudioInfo& info() const { return info_; }
  AVStream& stream() const { return *format_->streams[info_.stream_index]; }

  // The container's time of its first sample of any stream, where it has one.
  std::optional<double> start_s() const;

  // False where the container stamps nothing and FFmpeg counts packets instead.
  bool has_clock() const;

  // Bytes that are in the stream but not of it, as far as its header tells: garbage that came in
  // between.
  std::int64_t num_inserted_bytes() const { return num_inserted_bytes_; }

  // The next packet of the chosen stream; false at the end. What cannot be demuxed is passed over.
  // Throws what the source threw, and Error(kInvalidAudio) for encrypted packets.
  bool read(AVPacket& packet);

  // To the last frame that begins at or before `timestamp` (of the stream); false where that fails.
  // Throws what the source threw.
  bool seek(std::int64_t timestamp);

  bool can_seek() const;

  // Packets that the container lost, and what was cut off; complete at the end.
  int num_errors() const { return num_errors_; }
  std::optional<std::string> truncation(double decoded_s) const;

 private:
  void open_format(const Source& source, const DecodeOptions& options);
  void choose_stream(const DecodeOptions& options);
  void describe_stream();
  [[noreturn]] void throw_no_audio() const;

  std::string name_;
  std::unique_ptr<ByteIo> io_;  // outlives format_
  FormatHandle format_;
  std::optional<DataChunk> data_chunk_;
  AudioInfo info_;
  std::int64_t num_inserted_bytes_ = 0;
  int num_errors_ = 0;
};

}  // namespace steno::audio
