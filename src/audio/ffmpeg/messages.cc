#include "audio/ffmpeg/messages.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdarg>
#include <iterator>
#include <mutex>
#include <string_view>

#include "base/utf8.h"

extern "C" {
#include <libavutil/error.h>
#include <libavutil/log.h>
}

namespace steno::audio {
namespace {

thread_local char last_message[512] = "";

void keep_message(void* object, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_ERROR) return;
  int print_prefix = 0;
  char line[sizeof last_message];
  const int length =
      av_log_format_line2(object, level, format, arguments, line, sizeof line, &print_prefix);
  if (length <= 1) return;  // "\n" alone says nothing
  std::copy(std::begin(line), std::end(line), last_message);
}

}  // namespace

void capture_library_log() {
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(keep_message); });
}

void forget_library_message() {
  last_message[0] = '\0';
}

std::string library_reason(int error_code) {
  std::string reason = last_message;
  if (reason.empty() && error_code < 0) {
    char text[AV_ERROR_MAX_STRING_SIZE] = "";
    av_strerror(error_code, text, sizeof text);
    reason = text;
  }
  const std::string_view trimmed = utf8::strip(reason);
  return trimmed.empty() ? "" : fmt::format(" (FFmpeg: {})", utf8::replace_invalid(trimmed));
}

std::string format_bytes(std::int64_t num_bytes) {
  constexpr std::int64_t kKiB = 1 << 10;
  if (num_bytes < kKiB) return fmt::format("{} bytes", num_bytes);
  const char* unit = "KiB";
  double value = static_cast<double>(num_bytes) / kKiB;
  for (const char* larger : {"MiB", "GiB", "TiB"}) {
    if (value < 1024) break;
    value /= 1024;
    unit = larger;
  }
  return value < 10 ? fmt::format("{:.1f} {}", value, unit) : fmt::format("{:.0f} {}", value, unit);
}

}  // namespace steno::audio
