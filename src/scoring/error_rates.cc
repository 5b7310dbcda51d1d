#include "scoring/error_rates.h"

#include <string>
#include <unordered_map>
#include <vector>

#include "base/utf8.h"
#include "scoring/characters.h"

namespace steno::scoring {
namespace {

using Ids = std::unordered_map<std::u32string, std::uint32_t>;

std::vector<std::uint32_t> word_ids(std::string_view text, Ids& ids) {
  std::vector<std::uint32_t> result;
  for (const std::u32string& word : split(decode_utf8(text))) {
    const auto next_id = static_cast<std::uint32_t>(ids.size());
    result.push_back(ids.try_emplace(word, next_id).first->second);
  }
  return result;
}

std::vector<std::uint32_t> characters(std::string_view text) {
  const std::u32string decoded = decode_utf8(utf8::strip(text));
  return {decoded.begin(), decoded.end()};
}

}  // namespace

Edits word_edits(std::string_view reference, std::string_view hypothesis) {
  Ids ids;
  const auto reference_ids = word_ids(reference, ids);
  return count_edits(reference_ids, word_ids(hypothesis, ids));
}

Edits character_edits(std::string_view reference, std::string_view hypothesis) {
  return count_edits(characters(reference), characters(hypothesis));
}

Edits& operator+=(Edits& sum, const Edits& edits) {
  sum.hits += edits.hits;
  sum.substitutions += edits.substitutions;
  sum.deletions += edits.deletions;
  sum.insertions += edits.insertions;
  return sum;
}

std::int64_t num_errors(const Edits& edits) {
  return edits.substitutions + edits.deletions + edits.insertions;
}

std::int64_t num_reference(const Edits& edits) {
  return edits.hits + edits.substitutions + edits.deletions;
}

double error_rate(const Edits& edits) {
  const std::int64_t total = num_reference(edits);
  const auto errors = static_cast<double>(num_errors(edits));
  return total == 0 ? errors : errors / static_cast<double>(total);
}

}  // namespace steno::scoring
