// Which FFmpeg libraries this program runs with: for `steno doctor` and bug reports.
#pragma once

#include <string>
#include <vector>

namespace steno::audio {

struct LibraryVersion {
  std::string name;     // "libavcodec"
  std::string version;  // "59.37.100": of the library loaded now, not of the headers
};

std::vector<LibraryVersion> library_versions();

}  // namespace steno::audio
