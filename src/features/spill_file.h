// A temporary file without a name: what is too long for memory waits there.
// Path: features/mel_store -> here.
//
// Threads: one writes, any number read what was written before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace steno::features {

class SpillFile {
 public:
  // In TMPDIR, or else /tmp. The name is removed at once, so nothing is left behind however we end.
  // Throws Error(kUnavailable) with the folder and the system's reason, as do the other calls.
  SpillFile();
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  void write_at(std::int64_t offset_bytes, std::span<const std::byte> bytes);
  // Requires the range to have been written.
  void read_at(std::int64_t offset_bytes, std::span<std::byte> bytes) const;

 private:
  std::filesystem::path folder_;
  int descriptor_ = -1;
};

}  // namespace steno::features
