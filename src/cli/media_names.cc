#include "cli/media_names.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace steno::cli {
namespace {

// What FFmpeg opens and people record, cut and keep.
constexpr std::string_view kEndings[] = {
    "wav", "wave", "w64",  "rf64", "mp3", "mp2", "mpga", "m4a",  "m4b", "aac",  "flac",
    "ogg", "oga",  "opus", "spx",  "wma", "aif", "aiff", "aifc", "au",  "snd",  "caf",
    "amr", "awb",  "ac3",  "eac3", "dts", "mka", "ape",  "wv",   "tta", "gsm",  "mp4",
    "m4v", "mov",  "mkv",  "webm", "avi", "mpg", "mpeg", "ts",   "mts", "m2ts", "wmv",
    "asf", "flv",  "f4v",  "3gp",  "3g2", "ogv", "mxf",  "vob"};

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace

bool is_media_name(std::string_view file_name) {
  const std::size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  std::string ending(file_name.substr(dot + 1));
  std::ranges::transform(ending, ending.begin(), lower);
  return std::ranges::find(kEndings, ending) != std::end(kEndings);
}

std::string media_endings() {
  return fmt::format(".{}", fmt::join(kEndings, " ."));
}

}  // namespace steno::cli
