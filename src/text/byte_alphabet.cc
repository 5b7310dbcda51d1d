#include "text/byte_alphabet.h"

#include <utf8proc.h>

#include <array>

namespace steno::text {
namespace {

constexpr int kNumBytes = 256;

// Latin-1 characters that show as themselves. The other 68 bytes take U+0100, U+0101, ... in order.
constexpr bool is_visible(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

constexpr int kNumHidden = 68;

// Code point -> byte, or -1.
constexpr auto kByteOf = [] {
  std::array<int, kNumBytes + kNumHidden> byte_of{};
  int num_hidden = 0;
  for (int byte = 0; byte < kNumBytes; ++byte) {
    byte_of[byte] = is_visible(byte) ? byte : -1;
    if (!is_visible(byte)) byte_of[kNumBytes + num_hidden++] = byte;
  }
  return byte_of;
}();

}  // namespace

std::optional<std::string> try_bytes_from_alphabet(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    utf8proc_int32_t code_point = -1;
    const utf8proc_ssize_t num_read =
        utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                         static_cast<utf8proc_ssize_t>(text.size()), &code_point);
    if (num_read <= 0 || code_point >= static_cast<int>(kByteOf.size())) return std::nullopt;
    if (kByteOf[code_point] < 0) return std::nullopt;
    bytes += static_cast<char>(kByteOf[code_point]);
    text.remove_prefix(static_cast<std::size_t>(num_read));
  }
  return bytes;
}

}  // namespace steno::text
