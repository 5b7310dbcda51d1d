#include "output/cues.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "base/utf8.h"

namespace steno::output {
namespace {

struct ClockTime {
  std::int64_t hours, minutes, seconds, ms;
};

ClockTime clock_time(std::int64_t time_ms) {
  return {time_ms / 3'600'000, time_ms / 60'000 % 60, time_ms / 1'000 % 60, time_ms % 1'000};
}

}  // namespace

std::int64_t to_ms(double time_s) {
  constexpr double kMaxTimeS = 99'999.0 * 3600;  // keeps the integers below far from overflow
  if (!(time_s > 0)) return 0;                   // NaN too
  return std::llrint(std::min(time_s, kMaxTimeS) * 1000.0);
}

std::string srt_time(std::int64_t time_ms) {
  const auto [hours, minutes, seconds, ms] = clock_time(time_ms);
  return fmt::format("{:02}:{:02}:{:02},{:03}", hours, minutes, seconds, ms);
}

std::string vtt_time(std::int64_t time_ms) {
  const auto [hours, minutes, seconds, ms] = clock_time(time_ms);
  if (hours == 0) return fmt::format("{:02}:{:02}.{:03}", minutes, seconds, ms);
  return fmt::format("{:02}:{:02}:{:02}.{:03}", hours, minutes, seconds, ms);
}

std::string one_line(std::string_view text) {
  std::string valid = utf8::replace_invalid(text);
  const std::string_view stripped = utf8::strip(valid);
  std::string line;
  line.reserve(stripped.size());
  bool in_break = false;
  for (const char c : stripped) {
    const bool is_break = c == '\n' || c == '\r';
    if (!is_break) line += c;
    if (is_break && !in_break) line += ' ';
    in_break = is_break;
  }
  return line;
}

std::vector<Cue> make_cues(const std::vector<transcribe::Segment>& segments) {
  std::vector<Cue> cues;
  std::int64_t earliest_ms = 0;
  for (const transcribe::Segment& segment : segments) {
    std::string text = one_line(segment.text);
    if (text.empty()) continue;
    const std::int64_t start_ms = std::max(to_ms(segment.start_s), earliest_ms);
    const std::int64_t end_ms = std::max(to_ms(segment.end_s), start_ms);
    cues.push_back({start_ms, end_ms, text, {text}, segment.channel});
    earliest_ms = end_ms;
  }
  return cues;
}

}  // namespace steno::output
