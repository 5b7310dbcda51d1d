// The tokens Whisper is kept from, as they begin annotations: ♪♪♪, ( SPEAKING FOREIGN LANGUAGE ),
// [DAVID] Hey there.
// Path: models/whisper (suppress list "-1") -> here.
// Source: openai-whisper v20250625 whisper/tokenizer.py non_speech_tokens.
#pragma once

#include <vector>

#include "text/tokenizer.h"

namespace steno::text {

// Sorted, each id once. Ordinary punctuation stays allowed, and so do - and ' inside words.
std::vector<int> non_speech_tokens(const Tokenizer& tokenizer);

}  // namespace steno::text
