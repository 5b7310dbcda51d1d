#include "cli/console.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"

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

}  // namespace steno::cli
