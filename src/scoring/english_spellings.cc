#include "scoring/english_spellings.h"

#include <algorithm>
#include <vector>

#include "scoring/characters.h"

namespace steno::scoring {
namespace {

struct Spelling {
  std::u32string_view british;
  std::u32string_view american;
};

// Ordered by `british`.
constexpr Spelling kSpellings[] = {
#include "scoring/english_spellings.inc"
};
static_assert(std::ranges::is_sorted(kSpellings, {}, &Spelling::british));

}  // namespace

std::u32string american_spellings(std::u32string_view text) {
  std::vector<std::u32string> words = split(text);
  for (std::u32string& word : words) {
    const auto* found =
        std::ranges::lower_bound(kSpellings, std::u32string_view(word), {}, &Spelling::british);
    if (found != std::ranges::end(kSpellings) && found->british == word) word = found->american;
  }
  return join(words);
}

}  // namespace steno::scoring
