#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/utf8.h"

namespace steno::log {
namespace {

constexpr std::string_view kNames[] = {"debug", "info", "warning", "error", "off"};

constexpr Level kDefault = Level::kWarning;

Level level_from_environment() {
  const char* value = std::getenv("STENO_LOG");
  if (value == nullptr || *value == '\0') return kDefault;
  for (int i = 0; i < 5; ++i) {
    if (kNames[i] == std::string_view(value)) return static_cast<Level>(i);
  }
  constexpr std::size_t kMaxShownBytes = 40;
  write(Level::kWarning,
        fmt::format("STENO_LOG is '{}', which is none of debug, info, warning, error, off; warning "
                    "is taken",
                    utf8::printable(std::string_view(value).substr(0, kMaxShownBytes))));
  return kDefault;
}

std::atomic<Level>& current() {
  static std::atomic<Level> level{level_from_environment()};
  return level;
}

}  // namespace

void set_level(Level level) {
  current().store(level, std::memory_order_relaxed);
}

Level level() {
  return current().load(std::memory_order_relaxed);
}

void write(Level level, const std::string& message) {
  // One line that cannot drive a terminal, whatever the message quotes.
  const std::string line = fmt::format("steno: {}: {}\n", kNames[static_cast<int>(level)],
                                       utf8::escape_control(message, "\t"));
  std::fwrite(line.data(), 1, line.size(), stderr);  // one call: POSIX locks the stream for it
}

}  // namespace steno::log
