// Refuses a CPU without the instructions that the rest of the program was compiled for, which would
// end it by SIGILL.
//
// Compiled for any x86-64, and run before every other constructor: nothing that could have been
// compiled for more is called.
#if defined(__x86_64__)
#include <unistd.h>

#include <cstring>

namespace {

constexpr int kFirstPriority = 101;  // those below are the compiler's

__attribute__((constructor(kFirstPriority))) void require_x86_64_v2() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")) {
    return;
  }
  constexpr char kMessage[] =
      "steno: error: this CPU lacks SSE4.2 or POPCNT: steno needs x86-64-v2 (Intel since Nehalem, "
      "AMD since Bulldozer), or a "
      "virtual machine that shows its guests such a CPU\n";
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, kMessage, std::strlen(kMessage));
  _exit(1);
}

}  // namespace
#endif
