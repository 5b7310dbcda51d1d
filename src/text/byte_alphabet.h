// GPT-2's printable alphabet for bytes: vocabulary files write each byte of a token as one visible
// character.
// Path: vocabulary -> here.   Source: openai/gpt-2 src/encoder.py bytes_to_unicode.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steno::text {

// "Ġa" -> " a". Nothing where `text` holds a character outside the alphabet or is not UTF-8.
std::optional<std::string> try_bytes_from_alphabet(std::string_view text);

}  // namespace steno::text
