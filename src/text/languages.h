// Whisper's languages, and what people type to mean one of them.
// Path: cli, server -> here -> models; models -> here -> output.
// Source: openai-whisper v20250625 whisper/tokenizer.py LANGUAGES and TO_LANGUAGE_CODE; ISO 639 for
// the rest.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace steno::text {

struct Language {
  std::string_view code;  // "en"; "haw" and "yue" have three letters
  std::string_view name;  // "english", lower case
};

// In the order of the language tokens. Models before large-v3 know the first 99 only (no
// Cantonese).
std::span<const Language> languages();

// The code for a code ("EN", "eng"), a tag ("en-US", "zh_Hant") or an English name ("German",
// "castilian"), with white space around it ignored.
std::optional<std::string_view> find_language_code(std::string_view text);

// The English name of one of the codes in languages().
std::optional<std::string_view> find_language_name(std::string_view code);

}  // namespace steno::text
