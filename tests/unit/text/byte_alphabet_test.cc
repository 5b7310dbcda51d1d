#include "text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <string>

#include "unit/text/small_vocabulary.h"

namespace steno::text {
namespace {

TEST(ByteAlphabet, EveryByteHasOneCharacter) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bytes(1, static_cast<char>(byte));
    EXPECT_EQ(try_bytes_from_alphabet(to_alphabet(bytes)), bytes) << byte;
  }
}

TEST(ByteAlphabet, ReadsTokensAsFilesWriteThem) {
  EXPECT_EQ(try_bytes_from_alphabet(""), "");
  EXPECT_EQ(try_bytes_from_alphabet("ĠtheĊ"), " the\n");
  EXPECT_EQ(try_bytes_from_alphabet("æĹ¥"), "日");
}

TEST(ByteAlphabet, RefusesOtherCharacters) {
  for (const char* text :
       {" ", "a b", "\n", "日", "\u0144", "\u00A0", "\u00AD", "\x7F", "\xFF", "\xC4", "▁the"}) {
    EXPECT_EQ(try_bytes_from_alphabet(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace steno::text
