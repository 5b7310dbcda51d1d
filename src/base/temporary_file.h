// A temporary file without a name: what is too long for memory waits there.
//
// In TMPDIR, or else /tmp. The name is removed at once, so nothing is left behind however we end.
// Every call throws Error(kUnavailable) with the folder, the system's reason and what to do.
// Threads: one writes, any number read what was written before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace steno {

class TemporaryFile {
 public:
  // `owner` begins the messages: "features: long audio".
  explicit TemporaryFile(std::string owner);
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  void write_at(std::int64_t offset_bytes, std::span<const std::byte> bytes);
  // Requires the range to have been written.
  void read_at(std::int64_t offset_bytes, std::span<std::byte> bytes) const;

 private:
  [[noreturn]] void throw_unavailable(const char* action) const;

  std::string owner_;
  std::filesystem::path folder_;
  int descriptor_ = -1;
};

}  // namespace steno
