// Bytes at offsets: what the format parsers read from. A test or a fuzzer hands them memory.
//
// A file is read with pread, not mapped: mapped pages count as resident memory, and a file that is
// cut short under a mapping ends the process (SIGBUS) where pread gives an error.
// Threads: read_at may be called from any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace steno::weights {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  virtual std::uint64_t size_bytes() const = 0;
  virtual const std::string& name() const = 0;  // a path, for messages

  // Fills `out` from `offset` on. Throws Error(kInvalidModel) when the source ends before, and
  // Error(kUnavailable) with the system's reason when it cannot be read.
  virtual void read_at(std::uint64_t offset, std::span<std::byte> out) const = 0;
};

// Throws Error(kNotFound) with the system's reason when the file cannot be opened.
std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path);

// Bytes of somebody else who outlives the source.
std::unique_ptr<ByteSource> borrow_memory(std::span<const std::byte> bytes, std::string name);

}  // namespace steno::weights
