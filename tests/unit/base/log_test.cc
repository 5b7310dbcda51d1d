#include "base/log.h"

#include <gtest/gtest.h>

namespace steno::log {
namespace {

class LogTest : public testing::Test {
 protected:
  void TearDown() override { set_level(before_); }
  const Level before_ = level();
};

template <class Work>
std::string stderr_of(Work work) {
  testing::internal::CaptureStderr();
  work();
  return testing::internal::GetCapturedStderr();
}

TEST_F(LogTest, BelowTheLevelNothingIsWritten) {
  set_level(Level::kWarning);
  EXPECT_EQ(stderr_of([] { info("{} files", 3); }), "");
  EXPECT_EQ(stderr_of([] { warning("{} files", 3); }), "steno: warning: 3 files\n");
  set_level(Level::kOff);
  EXPECT_EQ(stderr_of([] { error("lost"); }), "");
  set_level(Level::kDebug);
  EXPECT_EQ(stderr_of([] { debug("step"); }), "steno: debug: step\n");
}

TEST_F(LogTest, AMessageStaysOneLineAndDrivesNoTerminal) {
  set_level(Level::kError);
  EXPECT_EQ(stderr_of([] { error("a\nb\x1b[2J\x7f\tc"); }),
            "steno: error: a\\x0ab\\x1b[2J\\x7f\tc\n");
  EXPECT_EQ(stderr_of([] { error("{}", "{not a format}"); }), "steno: error: {not a format}\n");
}

}  // namespace
}  // namespace steno::log
