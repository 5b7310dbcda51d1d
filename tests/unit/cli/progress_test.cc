#include "cli/progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace steno::cli {
namespace {

FileProgress half_way() {
  FileProgress progress;
  progress.name = "talks/monday.mp3";
  progress.index = 2;
  progress.num_files = 5;
  progress.audio_s_done = 900;
  progress.audio_s_total = 1800;
  progress.wall_s = 50;
  return progress;
}

TEST(ProgressLine, TellsFilePartSpeedAndRest) {
  EXPECT_EQ(progress_line(half_way(), 100),
            "[2/5] talks/monday.mp3   50%  15:00/30:00  18.0x  ETA 0:50");
}

TEST(ProgressLine, OneFileNeedsNoCount) {
  FileProgress progress = half_way();
  progress.num_files = 1;
  EXPECT_EQ(progress_line(progress, 100), "talks/monday.mp3   50%  15:00/30:00  18.0x  ETA 0:50");
}

TEST(ProgressLine, APipeHasNoPercentage) {
  FileProgress progress = half_way();
  progress.audio_s_total = 0;
  EXPECT_EQ(progress_line(progress, 100), "[2/5] talks/monday.mp3  15:00  18.0x");
}

TEST(ProgressLine, BeginsWithoutAnEstimate) {
  FileProgress progress = half_way();
  progress.audio_s_done = progress.wall_s = 0;
  EXPECT_EQ(progress_line(progress, 100), "[2/5] talks/monday.mp3    0%  0:00/30:00  -  ETA -");
}

TEST(ProgressLine, IsDoneOnlyWhenAllIsDone) {
  FileProgress progress = half_way();
  progress.audio_s_done = 1799.9;
  EXPECT_NE(progress_line(progress, 100).find(" 99%"), std::string::npos);
  progress.audio_s_done = 1801;
  EXPECT_NE(progress_line(progress, 100).find("100%"), std::string::npos);
}

TEST(ProgressLine, FitsTheTerminal) {
  FileProgress progress = half_way();
  progress.name = std::string(500, 'n');
  for (const int num_columns : {80, 60, 20, 1, 0}) {
    EXPECT_LE(progress_line(progress, num_columns).size(), static_cast<std::size_t>(num_columns));
  }
  EXPECT_NE(progress_line(progress, 80).find("ETA 0:50"), std::string::npos);
}

TEST(ProgressLine, ANameCannotDriveTheTerminal) {
  FileProgress progress = half_way();
  progress.name = "a\n\x1b[2Jb\xff.wav";
  const std::string line = progress_line(progress, 100);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(line.find('\x1b'), std::string::npos);
  EXPECT_NE(line.find("a\\x0a\\x1b[2Jb\xef\xbf\xbd.wav"), std::string::npos) << line;
}

TEST(ClockText, HasHoursFromOneHourOn) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(57.9), "0:57");
  EXPECT_EQ(clock_text(3599.99), "59:59");
  EXPECT_EQ(clock_text(3723), "1:02:03");
  EXPECT_EQ(clock_text(100 * 3600), "100:00:00");
}

TEST(ClockText, IsATimeForAnyDouble) {
  EXPECT_EQ(clock_text(-1), "0:00");
  EXPECT_EQ(clock_text(std::numeric_limits<double>::quiet_NaN()), "0:00");
  EXPECT_EQ(clock_text(std::numeric_limits<double>::infinity()), "277777:46:40");
}

TEST(SummaryLine, TellsWhatWasDoneAndWhatItTook) {
  EXPECT_EQ(summary_line({3, 0, 0, 3723, 62.05, std::int64_t{812} << 20}),
            "3 files, 1:02:03 of audio in 62.0 s (60.0x real time), peak memory 812 MiB");
  EXPECT_EQ(summary_line({2, 0, 1, 10, 5, 0}),
            "2 of 3 files, 1 failed, 0:10 of audio in 5.0 s (2.0x real time), peak memory 0 MiB");
  EXPECT_EQ(summary_line({1, 7, 0, 0, 0, 0}),
            "1 file, 7 skipped, 0:00 of audio in 0.0 s (- real time), peak memory 0 MiB");
}

TEST(SummaryLine, TellsNoSpeedWhereNothingWasDone) {
  EXPECT_EQ(summary_line({0, 0, 1, 0, 0.2, 1 << 20}), "0 of 1 file, 1 failed");
  EXPECT_EQ(summary_line({0, 2, 3, 0, 0.2, 1 << 20}), "0 of 3 files, 2 skipped, 3 failed");
  EXPECT_EQ(summary_line({0, 3, 0, 0, 0.2, 1 << 20}), "0 files, 3 skipped");
}

TEST(FailureList, NamesWhatFailedButNotForEver) {
  EXPECT_EQ(failure_list({}), "");
  EXPECT_EQ(failure_list({{"a.wav", {1, "a.wav: is\nempty"}}, {"b", {2, "b: x"}}}),
            "steno: failed: a.wav: is\\x0aempty\nsteno: failed: b: x\n");
  const std::string list = failure_list(std::vector<FailedInput>(1234, {"a", {1, "a: x"}}));
  EXPECT_EQ(std::ranges::count(list, '\n'), 101);
  EXPECT_TRUE(list.ends_with("steno: failed: and 1134 more\n"));
}

TEST(PeakMemory, IsMoreThanNothing) {
  EXPECT_GT(peak_memory_bytes(), 0);
}

}  // namespace
}  // namespace steno::cli
