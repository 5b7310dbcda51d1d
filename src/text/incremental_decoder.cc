#include "text/incremental_decoder.h"

#include <string_view>
#include <utility>

#include "base/utf8.h"

namespace steno::text {

std::string IncrementalDecoder::push(int id) {
  if (specials_ == Specials::kSkip && tokenizer_->is_special(id)) return {};
  pending_ += tokenizer_->token_bytes(id);
  const std::size_t complete = utf8::complete_prefix_bytes(pending_);
  std::string text = utf8::replace_invalid(std::string_view(pending_).substr(0, complete));
  pending_.erase(0, complete);
  return text;
}

std::string IncrementalDecoder::finish() {
  return utf8::replace_invalid(std::exchange(pending_, {}));
}

}  // namespace steno::text
