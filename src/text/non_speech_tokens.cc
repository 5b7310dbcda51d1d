#include "text/non_speech_tokens.h"

#include <set>
#include <string>
#include <string_view>

namespace steno::text {
namespace {

constexpr std::string_view kSymbols[] = {
    "\"",  "#",  "(",  ")",   "*",   "+",   "/",   ":",  ";",   "<",  "=",  "@",
    "[",   "\\", "]",  ">",   "^",   "_",   "`",   "{",  "|",   "}",  "~",  "「",
    "」",  "『", "』", "<<",  ">>",  "<<<", ">>>", "--", "---", "-(", "-[", "('",
    "(\"", "((", "))", "(((", ")))", "[[",  "]]",  "{{", "}}",  "♪♪", "♪♪♪"};

// U+2640..U+267F share their first two bytes, so where one of these is several tokens the first may
// go too.
constexpr std::string_view kMusic[] = {"♩", "♪", "♫", "♬", "♭", "♮", "♯"};

}  // namespace

std::vector<int> non_speech_tokens(const Tokenizer& tokenizer) {
  // "-" and "'" only where they begin a word.
  std::set<int> ids = {tokenizer.encode(" -").front(), tokenizer.encode(" '").front()};
  for (const std::string_view symbol : kSymbols) {
    for (const char* space : {"", " "}) {
      const std::vector<int> symbol_ids = tokenizer.encode(space + std::string(symbol));
      if (symbol_ids.size() == 1) ids.insert(symbol_ids.front());
    }
  }
  for (const std::string_view symbol : kMusic) {
    for (const char* space : {"", " "}) {
      ids.insert(tokenizer.encode(space + std::string(symbol)).front());
    }
  }
  return {ids.begin(), ids.end()};
}

}  // namespace steno::text
