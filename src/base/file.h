// Whole small files, and atomic writes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace steno::file {

// Throws Error(kNotFound) when there is no such regular file, Error(kInvalidValue) above `max_bytes`.
std::string read(const std::filesystem::path& path, std::size_t max_bytes = std::size_t{64} << 20);

// Writes a sibling temporary, syncs it and renames it over `path`: a reader sees the old or the new content,
// never a part. Throws Error(kUnavailable) with the system's reason.
void write_atomically(const std::filesystem::path& path, std::string_view content);

}  // namespace steno::file
