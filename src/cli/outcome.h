// How a run ends: exceptions become a message and an exit code, many files' codes become one.
#pragma once

#include <string>

namespace steno::cli {

inline constexpr int kExitDone = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;
inline constexpr int kExitPartlyDone = 3;
inline constexpr int kExitTryAgain = 75;  // sysexits EX_TEMPFAIL

struct Failure {
  int exit_code;
  std::string message;
};

// What is being handled now. Requires that it is called inside a catch block.
Failure current_failure();

// `message` with the input's name in front, unless it names it already ("audio: talk.wav: ...").
std::string message_about(const std::string& input, const std::string& message);

class Tally {
 public:
  void add_success() { ++num_done_; }
  void add_failure(int exit_code);

  int num_files() const { return num_done_ + num_failed_; }
  int num_failed() const { return num_failed_; }

  // 0 when nothing failed, 3 when some did, else the code that all failures share, or 1.
  int exit_code() const;

 private:
  int num_done_ = 0;
  int num_failed_ = 0;
  int failed_with_ = kExitDone;
};

}  // namespace steno::cli
