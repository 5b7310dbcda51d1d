// Token ids one at a time -> text that is valid UTF-8 at every step.
// Path: models -> here -> transcribe, streams.
// A token may end inside a character; those bytes wait for the next token. All the returned texts
// joined are what Tokenizer::decode gives for all the ids.
#pragma once

#include <string>

#include "text/tokenizer.h"

namespace steno::text {

class IncrementalDecoder {
 public:
  // `tokenizer` must outlive it.
  explicit IncrementalDecoder(const Tokenizer& tokenizer, Specials specials = Specials::kSkip)
      : tokenizer_(&tokenizer), specials_(specials) {}

  // The characters that `id` completes: none, one or several.
  std::string push(int id);

  // What is left, with U+FFFD for an incomplete character. The decoder can then begin anew.
  std::string finish();

 private:
  const Tokenizer* tokenizer_;
  Specials specials_;
  std::string pending_;  // at most three bytes between calls
};

}  // namespace steno::text
