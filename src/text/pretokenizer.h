// Text -> pieces that byte-pair merging never crosses: GPT-2's pattern, written out by hand.
// Path: tokenizer -> here -> bpe.
// Source: openai-whisper v20250625 whisper/tokenizer.py get_encoding, pattern
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
#pragma once

#include <string_view>
#include <vector>

namespace steno::text {

// The pieces in order; joined they are `text`. Requires valid UTF-8. Linear in the size of `text`.
std::vector<std::string_view> split_into_pieces(std::string_view text);

}  // namespace steno::text
