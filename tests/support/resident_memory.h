// How much memory this process holds, for tests that bound it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <string>

namespace steno::test {

// 0 where the system does not say.
inline std::int64_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    long long value = 0;
    if (std::sscanf(line.c_str(), "VmRSS: %lld", &value) == 1) return value;
  }
  return 0;
}

// AddressSanitizer keeps freed blocks aside and ThreadSanitizer shadows, so that no size means
// anything.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace steno::test
