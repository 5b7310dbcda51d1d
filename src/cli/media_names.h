// Which files of a folder are taken for recordings: by the ending of their names, since opening
// every file of a large tree would take minutes. A file that is named on the command line is taken
// whatever it is called.
#pragma once

#include <string>
#include <string_view>

namespace steno::cli {

// "talk.MP3": an ending of an audio or video file, in any case.
bool is_media_name(std::string_view file_name);

// ".wav .mp3 ...", for messages and the help.
std::string media_endings();

}  // namespace steno::cli
