#include "cli/console.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "base/utf8.h"

namespace steno::cli {

void write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      throw Error(ErrorCode::kUnavailable, "standard output: cannot write: {}",
                  std::generic_category().message(errno));
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : utf8::replace_invalid(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace steno::cli
