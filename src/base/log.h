// Lines for people on stderr. stdout belongs to the result alone.
// Threads: every function may be called from any thread; a line is written whole.
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

namespace steno::log {

enum class Level { kDebug, kInfo, kWarning, kError, kOff };

// Messages below `level` are dropped. The default is kWarning;
// STENO_LOG=debug|info|warning|error|off sets it at the first call; another value gives a warning.
void set_level(Level level);
Level level();

void write(Level level, const std::string& message);

template <typename... Args>
void debug(fmt::format_string<Args...> format, Args&&... args) {
  if (level() <= Level::kDebug) {
    write(Level::kDebug, fmt::format(format, std::forward<Args>(args)...));
  }
}
template <typename... Args>
void info(fmt::format_string<Args...> format, Args&&... args) {
  if (level() <= Level::kInfo) {
    write(Level::kInfo, fmt::format(format, std::forward<Args>(args)...));
  }
}
template <typename... Args>
void warning(fmt::format_string<Args...> format, Args&&... args) {
  if (level() <= Level::kWarning) {
    write(Level::kWarning, fmt::format(format, std::forward<Args>(args)...));
  }
}
template <typename... Args>
void error(fmt::format_string<Args...> format, Args&&... args) {
  if (level() <= Level::kError) {
    write(Level::kError, fmt::format(format, std::forward<Args>(args)...));
  }
}

}  // namespace steno::log
