#include "scoring/basic_normalizer.h"

#include "scoring/characters.h"
#include "scoring/rewrites.h"

namespace steno::scoring {

std::string normalize_basic(std::string_view text, BasicRules rules) {
  std::u32string s = lower(decode_utf8(text));
  s = remove_parenthesised(remove_bracketed(s));
  s = lower(rules.remove_diacritics ? remove_symbols_and_diacritics(s) : remove_symbols(s));
  if (rules.split_letters) s = join(graphemes(s));
  return encode_utf8(collapse_spaces(s));
}

}  // namespace steno::scoring
