// The token table of a model, read from whichever file its folder has.
// Path: model folder -> here -> tokenizer.
// A vocabulary is ids 0..N-1 without holes: ordinary tokens (byte strings, every single byte among
// them), then specials. The first special is the lowest id that is an added token or looks like
// <|...|>; every id from there on is special, whatever its name.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace steno::text {

struct Vocabulary {
  std::vector<std::string> tokens;  // by id: the bytes of an ordinary token, the name of a special
  int first_special = 0;            // tokens.size() where there is none
};

// In order of preference: tokenizer.json (Hugging Face), vocab.json with added_tokens.json (Hugging
// Face, slow tokenizer), vocabulary.json, vocabulary.txt (CTranslate2). Throws Error(kNotFound)
// where the folder has none, Error(kInvalidModel) naming the file and what is wrong with it.
Vocabulary load_vocabulary(const std::filesystem::path& model_folder);

// The same from what a tokenizer.json or a vocabulary.txt holds; `name` is for messages.
Vocabulary parse_tokenizer_json(std::string_view content, const std::filesystem::path& name);
Vocabulary parse_vocabulary_txt(std::string_view content, const std::filesystem::path& name);

// OpenAI's *.tiktoken: a line "base64 rank" for each ordinary token. `specials` follow in id order:
// the file does not name them.
Vocabulary load_tiktoken_vocabulary(const std::filesystem::path& file,
                                    std::span<const std::string> specials);

}  // namespace steno::text
