// Byte-pair merging of one piece.
// Path: pretokenizer -> here -> tokenizer.   Source: tiktoken 0.14 src/lib.rs byte_pair_encode.
// DIFFERS: from Hugging Face's, which reads merges.txt. In GPT-2's and Whisper's vocabularies ids
// were given in the order of the merges, so the id is the rank and merges are not needed. Whisper's
// multilingual merges.txt even lacks its first merge, " " + "t" (taken for a header line), so
// tiktoken's way is the one the models saw.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace steno::text {

// Byte strings -> ids. Keeps views: the strings must outlive it.
class TokenIds {
 public:
  void add(std::string_view bytes, int id) {
    ids_.emplace(bytes, id);
    max_bytes_ = std::max(max_bytes_, bytes.size());
  }

  std::optional<int> find(std::string_view bytes) const {
    if (bytes.size() > max_bytes_) return std::nullopt;
    const auto found = ids_.find(bytes);
    return found == ids_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::unordered_map<std::string_view, int> ids_;
  std::size_t max_bytes_ = 0;
};

// Appends the ids of `piece`, which may be empty. Requires an id for every single byte. O(n log n).
void append_bpe(std::string_view piece, const TokenIds& token_ids, std::vector<int>& ids);

}  // namespace steno::text
