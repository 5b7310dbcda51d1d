// Byte-level BPE: text <-> token ids, for Whisper's vocabularies (GPT-2's, the multilingual one).
//
// Specials are control: nothing a user types becomes one, and they are found by name, never by
// number.
// Path: prompt text -> here -> models; models -> token ids -> here -> transcribe.
// Source: openai-whisper v20250625 whisper/tokenizer.py on tiktoken.
// Threads: immutable after loading; every function may be called from any thread.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/bpe.h"
#include "text/vocabulary.h"

namespace steno::text {

enum class Specials { kSkip, kShow };

class Tokenizer {
 public:
  // Reads the vocabulary of a model folder; see load_vocabulary for the files and the errors.
  static Tokenizer load(const std::filesystem::path& model_folder);

  explicit Tokenizer(Vocabulary vocabulary);
  Tokenizer(Tokenizer&&) = default;
  Tokenizer& operator=(Tokenizer&&) = default;

  // Any text, also "<|endoftext|>", becomes ordinary ids that decode to it. Malformed UTF-8 is
  // repaired first.
  std::vector<int> encode(std::string_view text) const;

  // Valid UTF-8: the tokens' bytes joined, then repaired. kShow writes specials by name, as
  // tiktoken does.
  std::string decode(std::span<const int> ids, Specials specials = Specials::kSkip) const;

  // The bytes of an ordinary token (not always whole characters), the name of a special, nothing
  // for an id the vocabulary does not name. Requires id >= 0.
  std::string_view token_bytes(int id) const;

  // TRAP: some tokenizer files stop before the timestamps, so a model's ids may go beyond
  // num_tokens(). Those are special too.
  bool is_special(int id) const { return id >= vocabulary_.first_special; }

  // By its full name, "<|endoftext|>".
  std::optional<int> find_special(std::string_view name) const;

  int first_special() const { return vocabulary_.first_special; }
  int num_tokens() const { return static_cast<int>(vocabulary_.tokens.size()); }

 private:
  Vocabulary vocabulary_;
  TokenIds ordinary_;                                  // views into vocabulary_
  std::unordered_map<std::string_view, int> special_;  // views into vocabulary_
};

}  // namespace steno::text
