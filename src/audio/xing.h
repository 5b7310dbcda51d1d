// How many bytes an mp3 says its stream has, so that bytes which came in between (garbage, a tag)
// can be told from bytes that were overwritten: the former take no time away.
// Source: the Xing/LAME "Info" tag in the first frame.   Private to the room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace steno::audio {

// The bytes from the first frame on, by the tag in that frame. `frames` begins with the frame.
std::optional<std::int64_t> find_xing_bytes(std::span<const std::byte> frames);

}  // namespace steno::audio
