#include "text/tokenizer.h"

#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "text/pretokenizer.h"

namespace steno::text {

Tokenizer Tokenizer::load(const std::filesystem::path& model_folder) {
  return Tokenizer(load_vocabulary(model_folder));
}

Tokenizer::Tokenizer(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {
  for (int id = 0; id < num_tokens(); ++id) {
    if (is_special(id)) {
      special_.emplace(token_bytes(id), id);
    } else {
      ordinary_.add(token_bytes(id), id);
    }
  }
}

std::vector<int> Tokenizer::encode(std::string_view text) const {
  const std::string valid = utf8::replace_invalid(text);
  std::vector<int> ids;
  for (const std::string_view piece : split_into_pieces(valid)) append_bpe(piece, ordinary_, ids);
  return ids;
}

std::string Tokenizer::decode(std::span<const int> ids, Specials specials) const {
  std::string bytes;
  for (const int id : ids) {
    if (specials == Specials::kShow || !is_special(id)) bytes += token_bytes(id);
  }
  return utf8::replace_invalid(bytes);
}

std::string_view Tokenizer::token_bytes(int id) const {
  STENO_CHECK(id >= 0, "token id {}", id);
  if (id >= num_tokens()) return {};
  return vocabulary_.tokens[static_cast<std::size_t>(id)];
}

std::optional<int> Tokenizer::find_special(std::string_view name) const {
  const auto found = special_.find(name);
  return found == special_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace steno::text
