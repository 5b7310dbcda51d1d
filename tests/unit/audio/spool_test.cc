// Pipes whose container has to be stored first (mp4): bounded, and clear about a disk that is full.
#include "audio/spool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>

#include "audio/decoder.h"
#include "support/audio_sources.h"

namespace steno::audio {
namespace {

using test::audio_fixture;
using test::failure_of;
using test::read_bytes;

TEST(Spool, APipeLongerThanAllowedIsRefused) {
  const std::string bytes = read_bytes(audio_fixture("tone.m4a"));
  const auto size = static_cast<std::int64_t>(bytes.size());
  {
    const test::Pipe pipe(bytes);
    EXPECT_EQ(decode_all(pipe.source(), {.max_spool_bytes = size}).size(), 48000U);
  }
  const test::Pipe pipe(bytes);
  const auto failure =
      failure_of([&] { decode_all(pipe.source(), {.max_spool_bytes = size - 1}); });
  EXPECT_EQ(failure.code, ErrorCode::kInvalidValue);
  EXPECT_EQ(failure.message,
            "audio: pipe: this container has to be stored before it can be read, and a pipe may "
            "have 5.3 KiB; give it as a file");
}

TEST(Spool, AFullDiskIsSaidSo) {
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{100, old.rlim_max};  // stands in for a full disk
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const test::Pipe pipe(read_bytes(audio_fixture("tone.m4a")));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto failure = failure_of([&] { decode_all(pipe.source()); });
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(failure.code, ErrorCode::kUnavailable);
  EXPECT_NE(failure.message.find("audio: pipe: this container has to be stored before it can be "
                                 "read: cannot write a temporary file in"),
            std::string::npos)
      << failure.message;
  EXPECT_NE(failure.message.find("File too large"), std::string::npos) << failure.message;
}

TEST(Spool, AFileIsNotStoredAgain) {
  EXPECT_EQ(decode_all(Source::file(audio_fixture("tone.m4a")), {.max_spool_bytes = 0}).size(),
            48000U);
}

}  // namespace
}  // namespace steno::audio
