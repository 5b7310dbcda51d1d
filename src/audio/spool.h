// A pipe laid down in an unnamed temporary file, for what cannot be read as it comes: containers
// whose index may come last (mp4) need to seek. Memory stays bounded whatever the length.
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

// The same input, to be opened any number of times: a pipe is read to its end and stored, once it
// is known to be a container that is read. Throws as spool and Source::open do, and
// Error(kInvalidAudio).
Source make_rereadable(const Source& source, std::int64_t max_bytes);

// `head`, then the rest of `stream`, without seeking.
std::unique_ptr<ByteStream> prepend(std::span<const std::byte> head,
                                    std::unique_ptr<ByteStream> stream);

}  // namespace steno::audio
