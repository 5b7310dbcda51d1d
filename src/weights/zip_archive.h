// Where the entries of a zip archive lie: stored ones only, so that their bytes are read in place.
//
// The end record (its zip64 form where sizes leave 32 bits) leads to the central directory; an
// entry's own header says where its bytes begin. Compressed and encrypted entries, archives in
// parts and entries that overlap are refused: torch writes none.
// Source: PKWARE APPNOTE 6.3.10, sections 4.3 and 4.5.3.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weights/byte_source.h"

namespace steno::weights {

struct ZipEntry {
  std::string name;
  std::uint64_t offset = 0;  // of its bytes in the file
  std::uint64_t size_bytes = 0;
  std::uint32_t crc32 = 0;  // as the directory says; nobody has checked it yet
};

// Throws Error(kInvalidModel) naming the file, the entry and what is wrong.
std::vector<ZipEntry> read_zip_directory(const ByteSource& file);

}  // namespace steno::weights
