#include "base/log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace steno::log {
namespace {

constexpr std::string_view kNames[] = {"debug", "info", "warning", "error", "off"};

Level level_from_environment() {
  const char* value = std::getenv("STENO_LOG");
  if (value != nullptr) {
    for (int i = 0; i < 5; ++i) {
      if (kNames[i] == value) return static_cast<Level>(i);
    }
  }
  return Level::kWarning;
}

std::atomic<Level>& current() {
  static std::atomic<Level> level{level_from_environment()};
  return level;
}

// A log line stays one line and cannot drive a terminal: control bytes are shown as \xNN.
std::string escape_control(const std::string& message) {
  std::string out;
  out.reserve(message.size());
  for (const char c : message) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && byte != '\t') || byte == 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void set_level(Level level) {
  current().store(level, std::memory_order_relaxed);
}

Level level() {
  return current().load(std::memory_order_relaxed);
}

void write(Level level, const std::string& message) {
  const std::string line =
      fmt::format("steno: {}: {}\n", kNames[static_cast<int>(level)], escape_control(message));
  std::fwrite(line.data(), 1, line.size(), stderr);  // one call: POSIX locks the stream for it
}

}  // namespace steno::log
