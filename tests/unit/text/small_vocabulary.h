// A vocabulary small enough to read, for tests: the 256 bytes (id = byte), `merged` tokens, then
// specials.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace steno::text {

inline const std::vector<std::string> kSmallSpecials = {"<|endoftext|>", "<|startoftranscript|>",
                                                        "<|en|>", "<|0.00|>", "<|0.02|>"};

inline Vocabulary small_vocabulary(const std::vector<std::string>& merged,
                                   const std::vector<std::string>& specials = kSmallSpecials) {
  Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.tokens.push_back(std::string(1, static_cast<char>(byte)));
  }
  vocabulary.tokens.insert(vocabulary.tokens.end(), merged.begin(), merged.end());
  vocabulary.first_special = static_cast<int>(vocabulary.tokens.size());
  vocabulary.tokens.insert(vocabulary.tokens.end(), specials.begin(), specials.end());
  return vocabulary;
}

// GPT-2's printable form of bytes, written here a second time so that the reader is not tested by
// itself.
inline std::string to_alphabet(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const int byte = static_cast<unsigned char>(c);
    int code_point = byte;
    if (byte <= 0x20) code_point = 0x100 + byte;
    if (byte >= 0x7F && byte <= 0xA0) code_point = 0x121 + (byte - 0x7F);
    if (byte == 0xAD) code_point = 0x143;
    if (code_point < 0x80) {
      text += static_cast<char>(code_point);
    } else {
      text += static_cast<char>(0xC0 | (code_point >> 6));
      text += static_cast<char>(0x80 | (code_point & 0x3F));
    }
  }
  return text;
}

}  // namespace steno::text
