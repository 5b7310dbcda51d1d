// How far the work is, for people: a line on stderr that is rewritten in place, and one at the end.
// Threads: a ProgressDisplay belongs to one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/outcome.h"
#include "cli/transcribe_arguments.h"

namespace steno::cli {

struct FileProgress {
  std::string name;
  int index = 1;  // of num_files, from 1
  int num_files = 1;
  double audio_s_done = 0;
  double audio_s_total = 0;  // 0: not known (a pipe)
  double wall_s = 0;         // since this file was begun
};

// "[2/5] talk.mp3  42%  12:30/29:50  18.3x  ETA 0:57", cut to `num_columns` by shortening the name.
// One line without control characters, whatever the name holds.
std::string progress_line(const FileProgress& progress, int num_columns);

struct RunSummary {
  int num_done = 0;
  int num_skipped = 0;  // their results were there
  int num_failed = 0;
  double audio_s = 0;
  double wall_s = 0;
  std::int64_t peak_memory_bytes = 0;
};

// "2 of 3 files, 5 skipped, 1 failed, 1:02:03 of audio in 62.1 s (60.0x real time), peak memory 812
// MiB"; where nothing was done, only the counts.
std::string summary_line(const RunSummary& summary);

// What failed and why, a line each; of more than 100 the first ones and how many more there are.
std::string failure_list(const std::vector<FailedInput>& failed);

// "0:57", "12:30", "1:02:03"; whole seconds, rounded down.
std::string clock_text(double time_s);

// The most memory this process has held so far.
std::int64_t peak_memory_bytes();

inline constexpr std::chrono::milliseconds kRedrawInterval{100};

// Whether the line is shown: as asked for, else where standard error is a terminal.
bool wants_progress(const TranscribeArguments& arguments);

class ProgressDisplay {
 public:
  explicit ProgressDisplay(bool enabled) : enabled_(enabled) {}
  ~ProgressDisplay() { clear(); }
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  // Draws at most ten times a second.
  void show(const FileProgress& progress);

  // Takes the line away; call it before anything else is written to the terminal.
  void clear();

 private:
  bool enabled_;
  bool is_shown_ = false;
  std::chrono::steady_clock::time_point next_draw_{};
};

}  // namespace steno::cli
