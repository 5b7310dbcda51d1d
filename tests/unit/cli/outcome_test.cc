#include "cli/outcome.h"

#include <gtest/gtest.h>

#include <new>

#include "base/error.h"

namespace steno::cli {
namespace {

template <typename Exception>
Failure failure_of(const Exception& exception) {
  try {
    throw exception;
  } catch (...) {
    return current_failure();
  }
}

TEST(CurrentFailure, TakesTheExitCodeFromTheTableOfErrors) {
  EXPECT_EQ(failure_of(Error(ErrorCode::kUsage, "x")).exit_code, kExitUsage);
  EXPECT_EQ(failure_of(Error(ErrorCode::kInvalidAudio, "x")).exit_code, kExitFailed);
  EXPECT_EQ(failure_of(Error(ErrorCode::kUnavailable, "x")).exit_code, kExitTryAgain);
  EXPECT_EQ(failure_of(Error(ErrorCode::kNotFound, "no such")).message, "no such");
}

TEST(CurrentFailure, OutOfMemoryMayWorkLater) {
  EXPECT_EQ(failure_of(std::bad_alloc()).exit_code, kExitTryAgain);
  EXPECT_EQ(failure_of(std::runtime_error("x")).exit_code, kExitFailed);
}

TEST(MessageAbout, NamesTheInputOnce) {
  EXPECT_EQ(message_about("a.wav", "is empty"), "a.wav: is empty");
  EXPECT_EQ(message_about("a.wav", "audio: a.wav: is empty"), "audio: a.wav: is empty");
  EXPECT_EQ(message_about("-", "audio: stdin: is empty"), "audio: stdin: is empty");
  EXPECT_EQ(message_about("a\nb.wav", "is empty"), "a\\x0ab.wav: is empty");
}

struct Case {
  int num_done;
  std::vector<int> failures;
  int exit_code;
};

TEST(Tally, ManyCodesBecomeOne) {
  const Case cases[] = {
      {0, {}, 0},          {3, {}, 0},    {2, {1}, 3},     {1, {1, 75}, 3},   {0, {1}, 1},
      {0, {2, 2}, 2},      {0, {75}, 75}, {0, {75, 1}, 1}, {0, {2, 1, 2}, 1}, {0, {75, 75, 75}, 75},
      {0, {2, 75, 75}, 1},
  };
  for (const Case& c : cases) {
    Tally tally;
    for (int i = 0; i < c.num_done; ++i) tally.add_success();
    for (const int code : c.failures) tally.add_failure({"a.wav", {code, "a.wav: x"}});
    EXPECT_EQ(tally.exit_code(), c.exit_code) << ::testing::PrintToString(c.failures);
    EXPECT_EQ(tally.num_done(), c.num_done);
    EXPECT_EQ(tally.failed().size(), c.failures.size());
  }
}

TEST(Tally, WhatWasSkippedWasDoneBefore) {
  Tally tally;
  tally.add_skipped();
  EXPECT_EQ(tally.exit_code(), kExitDone);
  tally.add_failure({"a.wav", {kExitFailed, "x"}});
  EXPECT_EQ(tally.exit_code(), kExitPartlyDone);
}

}  // namespace
}  // namespace steno::cli
