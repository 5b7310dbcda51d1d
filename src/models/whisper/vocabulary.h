// The special tokens of a Whisper vocabulary, found by name and order, never by literal number.
//
// After the base vocabulary come, in this order: eot, sot, the languages, translate, transcribe,
// startoflm, startofprev, nospeech, notimestamps, then the timestamps 0.00 to 30.00 in steps of
// 0.02 s.
// TRAP: English-only, 99-language and 100-language models shift all of them; hard-coded ids broke
// many ports.
// Source: whisper/tokenizer.py, v20250625.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/whisper/config.h"
#include "text/tokenizer.h"

namespace steno::models::whisper {

constexpr double kSecondsPerTimestamp = 0.02;

struct Vocabulary {
  int size = 0;  // V, timestamps included
  int eot = 0;
  int sot = 0;
  int translate = 0;
  int transcribe = 0;
  int startoflm = 0;
  int startofprev = 0;
  int nospeech = 0;
  int notimestamps = 0;
  int timestamp_begin = 0;
  bool is_multilingual = false;
  std::vector<std::string> languages;  // codes; the token of languages[i] is sot + 1 + i

  bool is_timestamp(int token) const { return token >= timestamp_begin; }
  std::optional<int> find_language_token(std::string_view code) const;

  // [sot, language, task]; only [sot] in English-only models.
  std::vector<int> sot_sequence(std::string_view language, bool is_translation) const;
};

// Throws Error(kInvalidModel) when a special token is missing, out of order, or the sizes do not
// fit.
Vocabulary load_vocabulary(const text::Tokenizer& tokenizer, const Config& config);

// What "-1" in a list of suppressed tokens stands for, and the control tokens that are always
// suppressed with a list. `requested` as the user gave it; sorted, each once.
std::vector<int> suppressed_tokens(const text::Tokenizer& tokenizer, const Vocabulary& vocabulary,
                                   const std::vector<int>& requested);

}  // namespace steno::models::whisper
