// How well a text compresses: text that repeats itself, the usual way of failing for Whisper, has a
// high ratio.
// Path: models/whisper/model -> here.
// Source: openai-whisper v20250625 whisper/utils.py compression_ratio.
#pragma once

#include <string_view>

namespace steno::text {

// Bytes of `text` over bytes of zlib.compress(text) at its default level 6; 0 for empty text. The
// reference strips the text first. TRAP: a zlib that compresses differently moves the ratio across
// the retry threshold (2.4).
double compression_ratio(std::string_view text);

}  // namespace steno::text
