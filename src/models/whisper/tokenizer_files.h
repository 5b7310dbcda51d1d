// Where a Whisper model's tokenizer is. OpenAI's .pt files come without one.
#pragma once

#include <filesystem>

#include "models/whisper/config.h"
#include "text/tokenizer.h"

namespace steno::models::whisper {

// `model` is a folder or a file. In this order: the folder's own files (text/vocabulary.h); for a
// .pt file also multilingual.tiktoken or gpt2.tiktoken beside it, then the tokenizer of a model in
// the caches that has the same vocabulary. Throws Error(kNotFound) that says what to put where.
text::Tokenizer find_tokenizer(const std::filesystem::path& model, const Config& config);

}  // namespace steno::models::whisper
