// Which containers are read, and what the first bytes of an input are. Private to the room.
//
// An allow-list: FFmpeg has some 350 demuxers, and among them are playlists that open other files
// (hls, dash, concat), devices, scripts (lavfi) and images, none of which an upload may reach.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audio/source.h"

struct AVInputFormat;

namespace steno::audio {

struct Container {
  std::string_view ffmpeg_name;  // the first of the demuxer's names
  std::string_view name;         // for people
  bool streams;  // can be read from a pipe; the others keep what they need at the end
};

struct Sniffed {
  const AVInputFormat* format = nullptr;
  Container container;
  std::vector<std::byte> head;  // the bytes read for it
  std::size_t tag_bytes = 0;    // of these, an ID3 tag in front; may be more than were read
};

// Reads the first bytes of `stream` (16 KiB; up to 17 MiB past a large ID3 tag) and tells the
// container from the content alone. Throws Error(kInvalidAudio) for what is empty, unknown or not
// on the list.
Sniffed sniff(ByteStream& stream, const std::string& name);

}  // namespace steno::audio
