// The decoder for a stream. Private to the room.
#pragma once

#include <string>

#include "audio/ffmpeg/handles.h"

namespace steno::audio {

// Throws Error(kInvalidAudio) where there is none, or it refuses.
CodecHandle open_codec(const AVStream& stream, const std::string& name);

}  // namespace steno::audio
