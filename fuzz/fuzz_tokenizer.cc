// Fuzzes the readers of tokenizer.json and vocabulary.txt, and the tokenizer on what they gave.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/utf8.h"
#include "text/tokenizer.h"
#include "text/vocabulary.h"

namespace {

// Whatever the vocabulary, encoding loses nothing and every id decodes to valid text.
void use(steno::text::Vocabulary vocabulary) {
  const steno::text::Tokenizer tokenizer(std::move(vocabulary));
  constexpr std::string_view kText = "Hello, world <|endoftext|> \xE4\xBC\x9A\xE8\xAD\xB0 42";
  STENO_CHECK(tokenizer.decode(tokenizer.encode(kText)) == kText);
  std::vector<int> ids(static_cast<std::size_t>(tokenizer.num_tokens()) + 2);
  std::iota(ids.begin(), ids.end(), 0);
  STENO_CHECK(steno::utf8::is_valid(tokenizer.decode(ids, steno::text::Specials::kShow)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    use(content.starts_with('{') ? steno::text::parse_tokenizer_json(content, "fuzz")
                                 : steno::text::parse_vocabulary_txt(content, "fuzz"));
  } catch (const steno::Error& error) {
    if (error.code() != steno::ErrorCode::kInvalidModel) throw;
  }
  return 0;
}
