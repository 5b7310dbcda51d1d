// STENO_CHECK(condition, "format", args...): guards what only a bug of our own can break.
//
// It throws Error(kInternal) instead of ending the process: in a server one broken request must not
// take its neighbours along. No user byte may ever reach a failing check; the fuzzers test that.
#pragma once

#include <fmt/core.h>

#include <string>

namespace steno::internal {

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& detail);

inline std::string check_detail() {
  return {};
}
template <typename... Args>
std::string check_detail(fmt::format_string<Args...> format, Args&&... args) {
  return fmt::format(format, std::forward<Args>(args)...);
}

}  // namespace steno::internal

#define STENO_CHECK(condition, ...)                                                  \
  do {                                                                               \
    if (!(condition)) [[unlikely]] {                                                 \
      ::steno::internal::check_failed(__FILE__, __LINE__, #condition,                \
                                      ::steno::internal::check_detail(__VA_ARGS__)); \
    }                                                                                \
  } while (false)
