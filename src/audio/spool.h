// A pipe laid down in an unnamed temporary file, for containers whose index may come last (mp4):
// they need to seek, and memory stays bounded whatever the length.
// Private to the room.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "audio/source.h"

namespace steno::audio {

// `head`, then the rest of `stream`, as a stream that seeks; its file (base/temporary_file.h) is
// gone when the stream is. Throws Error(kUnavailable) when the disk is full, Error(kInvalidValue)
// past `max_bytes`.
std::unique_ptr<ByteStream> spool(std::span<const std::byte> head, ByteStream& stream,
                                  std::int64_t max_bytes, const std::string& name);

// `head`, then the rest of `stream`, without seeking.
std::unique_ptr<ByteStream> prepend(std::span<const std::byte> head,
                                    std::unique_ptr<ByteStream> stream);

}  // namespace steno::audio
