// Whole small files, and atomic writes.
//
// What the system refuses becomes Error(kNotFound) for a missing file or folder,
// Error(kInvalidValue) for a path that cannot be used (permissions, read-only, a folder),
// Error(kUnavailable) for the rest (disk full, I/O error): each with the system's reason.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace steno::file {

// Throws Error(kNotFound) when there is no such regular file, Error(kInvalidValue) above
// `max_bytes`.
std::string read(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{64} << 20);

// Writes a sibling temporary, syncs it and renames it over `path`: a reader sees the old or the new
// content, never a part. A link is followed, so its target is replaced and not the link. A device
// or a pipe
// (/dev/stdout) is written in place.
void write_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace steno::file
