#include "cli/progress.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

#include "base/utf8.h"
#include "cli/console.h"

namespace steno::cli {
namespace {

// The first characters of `text`, one column each; wide ones (Chinese) take two on a terminal,
// which at worst wraps the line once.
std::string cut(const std::string& text, int max_characters) {
  int num_characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts_character = (static_cast<unsigned char>(text[i]) & 0xc0) != 0x80;
    if (starts_character && num_characters++ == max_characters) return text.substr(0, i);
  }
  return text;
}

std::string speed_text(double audio_s, double wall_s) {
  return wall_s > 0 ? fmt::format("{:.1f}x", audio_s / wall_s) : "-";
}

std::string files_text(int num_files) {
  return fmt::format("{} file{}", num_files, num_files == 1 ? "" : "s");
}

// What stands after the name.
std::string figures(const FileProgress& p) {
  const std::string speed = speed_text(p.audio_s_done, p.wall_s);
  if (!(p.audio_s_total > 0)) return fmt::format("{}  {}", clock_text(p.audio_s_done), speed);
  const double part = std::clamp(p.audio_s_done / p.audio_s_total, 0.0, 1.0);
  const std::string eta = part > 0 ? clock_text(p.wall_s * (1 - part) / part) : "-";
  return fmt::format("{:3.0f}%  {}/{}  {}  ETA {}", std::floor(part * 100),
                     clock_text(p.audio_s_done), clock_text(p.audio_s_total), speed, eta);
}

int num_terminal_columns() {
  winsize size{};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace

std::string clock_text(double time_s) {
  constexpr double kMaxTimeS = 1e9;  // an estimate of a stalled run, not a time to be shown
  if (!(time_s >= 0)) return "0:00";
  const auto total = static_cast<std::int64_t>(std::min(time_s, kMaxTimeS));
  const std::int64_t hours = total / 3600;
  if (hours == 0) return fmt::format("{}:{:02}", total / 60, total % 60);
  return fmt::format("{}:{:02}:{:02}", hours, total / 60 % 60, total % 60);
}

std::string progress_line(const FileProgress& progress, int num_columns) {
  const std::string count =
      progress.num_files > 1 ? fmt::format("[{}/{}] ", progress.index, progress.num_files) : "";
  const std::string rest = "  " + figures(progress);
  const int room = num_columns - 1 - static_cast<int>(count.size() + rest.size());
  constexpr int kMinNameColumns = 8;
  const std::string name = cut(utf8::printable(progress.name), std::max(room, kMinNameColumns));
  return cut(count + name + rest, std::max(num_columns - 1, 0));
}

std::string summary_line(const RunSummary& s) {
  std::string files =
      s.num_failed > 0 ? fmt::format("{} of {}", s.num_done, files_text(s.num_done + s.num_failed))
                       : files_text(s.num_done);
  if (s.num_skipped > 0) files += fmt::format(", {} skipped", s.num_skipped);
  if (s.num_failed > 0) files += fmt::format(", {} failed", s.num_failed);
  if (s.num_done == 0) return files;
  return fmt::format("{}, {} of audio in {:.1f} s ({} real time), peak memory {} MiB", files,
                     clock_text(s.audio_s), s.wall_s, speed_text(s.audio_s, s.wall_s),
                     s.peak_memory_bytes >> 20);
}

std::string failure_list(const std::vector<FailedInput>& failed) {
  constexpr std::size_t kMaxListed = 100;
  std::string list;
  for (const FailedInput& one : std::span(failed).first(std::min(failed.size(), kMaxListed))) {
    list += fmt::format("steno: failed: {}\n", utf8::printable(one.failure.message));
  }
  if (failed.size() > kMaxListed) {
    list += fmt::format("steno: failed: and {} more\n", failed.size() - kMaxListed);
  }
  return list;
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

bool wants_progress(const TranscribeArguments& arguments) {
  if (arguments.progress != ProgressMode::kAuto) return arguments.progress == ProgressMode::kAlways;
  return !arguments.quiet && ::isatty(STDERR_FILENO);
}

void ProgressDisplay::show(const FileProgress& progress) {
  const auto now = std::chrono::steady_clock::now();
  if (!enabled_ || now < next_draw_) return;
  next_draw_ = now + kRedrawInterval;
  write_stderr(fmt::format("\r{}\x1b[K", progress_line(progress, num_terminal_columns())));
  is_shown_ = true;
}

void ProgressDisplay::clear() {
  if (is_shown_) std::fputs("\r\x1b[K", stderr);
  is_shown_ = false;
}

}  // namespace steno::cli
