// How a run ends: exceptions become a message and an exit code, many files' codes become one.
#pragma once

#include <string>
#include <utility>
#include <vector>

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

struct FailedInput {
  std::string input;
  Failure failure;
};

// What is being handled now. Requires that it is called inside a catch block.
Failure current_failure();

// `message` with the input's name in front, unless it names it already ("audio: talk.wav: ...").
std::string message_about(const std::string& input, const std::string& message);

class Tally {
 public:
  void add_success() { ++num_done_; }
  void add_skipped() { ++num_skipped_; }
  void add_failure(FailedInput failed) { failed_.push_back(std::move(failed)); }

  int num_done() const { return num_done_; }
  int num_skipped() const { return num_skipped_; }
  const std::vector<FailedInput>& failed() const { return failed_; }

  // 0 when nothing failed, 3 when some did, else the code that all failures share, or 1. What was
  // skipped was done before.
  int exit_code() const;

 private:
  int num_done_ = 0;
  int num_skipped_ = 0;
  std::vector<FailedInput> failed_;
};

}  // namespace steno::cli
