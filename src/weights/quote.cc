#include "weights/quote.h"

#include <fmt/core.h>

namespace steno::weights {

std::string quote(std::string_view name) {
  constexpr std::size_t kMaxBytes = 120;  // the longest name of the known families has about 70
  std::string out = "'";
  for (const char c : name.substr(0, kMaxBytes)) {
    if (c >= 0x20 && c < 0x7f) {
      out += c;
    } else {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
  }
  if (name.size() > kMaxBytes) out += "...";
  return out + "'";
}

}  // namespace steno::weights
