#include "audio/library_versions.h"

#include <fmt/core.h>

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <libswresample/swresample.h>
}

namespace steno::audio {
namespace {

std::string dotted(unsigned version) {
  return fmt::format("{}.{}.{}", AV_VERSION_MAJOR(version), AV_VERSION_MINOR(version),
                     AV_VERSION_MICRO(version));
}

}  // namespace

std::vector<LibraryVersion> library_versions() {
  return {{"libavformat", dotted(avformat_version())},
          {"libavcodec", dotted(avcodec_version())},
          {"libavutil", dotted(avutil_version())},
          {"libswresample", dotted(swresample_version())}};
}

}  // namespace steno::audio
