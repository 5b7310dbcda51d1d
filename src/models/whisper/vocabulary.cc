#include "models/whisper/vocabulary.h"

#include <algorithm>
#include <set>

#include "base/error.h"
#include "text/languages.h"
#include "text/non_speech_tokens.h"

namespace steno::models::whisper {
namespace {

constexpr int kNumTimestamps = 1501;
constexpr int kReleasedMultilingualSize = 51865;  // the smallest released vocabulary with languages

int require_special(const text::Tokenizer& tokenizer, std::string_view name) {
  const std::optional<int> id = tokenizer.find_special(name);
  if (!id) {
    throw Error(ErrorCode::kInvalidModel,
                "the tokenizer has no token {}: is it the tokenizer of a Whisper model?", name);
  }
  return *id;
}

bool is_multilingual(const Vocabulary& v, const Config& config) {
  if (config.is_multilingual) return *config.is_multilingual;
  // TRAP: English-only CTranslate2 folders also list language ids, but those of other models.
  if (config.first_language_token) return *config.first_language_token == v.sot + 1;
  return v.size >= kReleasedMultilingualSize;
}

std::vector<std::string> languages_between(const text::Tokenizer& tokenizer, int begin, int end) {
  std::vector<std::string> codes;
  for (int id = begin; id < end; ++id) {
    std::string_view name = tokenizer.token_bytes(id);  // "<|en|>"
    if (!name.starts_with("<|") || !name.ends_with("|>") || name.size() < 5) {
      throw Error(ErrorCode::kInvalidModel, "token {} ('{}') stands where a language was expected",
                  id, name);
    }
    codes.emplace_back(name.substr(2, name.size() - 4));
  }
  return codes;
}

}  // namespace

std::optional<int> Vocabulary::find_language_token(std::string_view code) const {
  const auto it = std::find(languages.begin(), languages.end(), code);
  if (it == languages.end()) return std::nullopt;
  return sot + 1 + static_cast<int>(it - languages.begin());
}

std::vector<int> Vocabulary::sot_sequence(std::string_view language, bool is_translation) const {
  if (!is_multilingual) return {sot};
  return {sot, find_language_token(language).value(), is_translation ? translate : transcribe};
}

Vocabulary load_vocabulary(const text::Tokenizer& tokenizer, const Config& config) {
  Vocabulary v;
  v.size = static_cast<int>(config.vocab_size);
  v.eot = require_special(tokenizer, "<|endoftext|>");
  v.sot = require_special(tokenizer, "<|startoftranscript|>");
  // From here by order: some files name nospeech "nocaptions", and name no timestamps at all.
  v.notimestamps = require_special(tokenizer, "<|notimestamps|>");
  v.nospeech = v.notimestamps - 1;
  v.startofprev = v.notimestamps - 2;
  v.startoflm = v.notimestamps - 3;
  v.transcribe = v.notimestamps - 4;
  v.translate = v.notimestamps - 5;
  v.timestamp_begin = v.notimestamps + 1;
  if (v.sot != v.eot + 1 || v.translate <= v.sot ||
      tokenizer.find_special("<|transcribe|>").value_or(v.transcribe) != v.transcribe) {
    throw Error(ErrorCode::kInvalidModel,
                "the tokenizer's special tokens are not in Whisper's order");
  }
  if (v.timestamp_begin + kNumTimestamps != v.size) {
    throw Error(ErrorCode::kInvalidModel,
                "the tokenizer's timestamps would end at {}, but the model has {} tokens: do the "
                "tokenizer and the weights belong together?",
                v.timestamp_begin + kNumTimestamps, v.size);
  }
  v.is_multilingual = is_multilingual(v, config);
  v.languages = v.is_multilingual ? languages_between(tokenizer, v.sot + 1, v.translate)
                                  : std::vector<std::string>{"en"};
  return v;
}

std::vector<int> suppressed_tokens(const text::Tokenizer& tokenizer, const Vocabulary& vocabulary,
                                   const std::vector<int>& requested) {
  if (requested.empty()) return {};
  std::set<int> tokens;
  for (const int token : requested) {
    if (token >= 0) {
      tokens.insert(token);
    } else {
      const std::vector<int> non_speech = text::non_speech_tokens(tokenizer);
      tokens.insert(non_speech.begin(), non_speech.end());
    }
  }
  tokens.insert({vocabulary.transcribe, vocabulary.translate, vocabulary.sot,
                 vocabulary.startofprev, vocabulary.startoflm, vocabulary.nospeech});
  return {tokens.begin(), tokens.end()};
}

}  // namespace steno::models::whisper
