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
            "audio: pipe: what comes through a pipe has to be stored here, and may have 5.3 KiB; "
            "give it as a file or raise --max-pipe-size");
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
  EXPECT_NE(failure.message.find("audio: pipe: what comes through a pipe has to be stored here: "
                                 "cannot write a temporary file in"),
            std::string::npos)
      << failure.message;
  EXPECT_NE(failure.message.find("File too large"), std::string::npos) << failure.message;
}

TEST(Spool, AFileIsNotStoredAgain) {
  EXPECT_EQ(decode_all(Source::file(audio_fixture("tone.m4a")), {.max_spool_bytes = 0}).size(),
            48000U);
}

TEST(Spool, APipeCanBeReadAgainAndAgain) {
  const std::string bytes = read_bytes(audio_fixture("tone.flac"));
  const test::Pipe pipe(bytes);
  const Source source = make_rereadable(pipe.source(), kMaxSpoolBytes);
  EXPECT_EQ(source.name(), "pipe");
  const std::vector<float> once = decode_all(source);
  EXPECT_EQ(once.size(), 48000U);
  EXPECT_EQ(decode_all(source), once);
}

TEST(Spool, WhatIsReadAgainIsNoAudioOrTooLong) {
  const test::Pipe noise(std::string(100'000, 'x'));
  EXPECT_EQ(failure_of([&] { make_rereadable(noise.source(), kMaxSpoolBytes); }).code,
            ErrorCode::kInvalidAudio);
  const test::Pipe longer(read_bytes(audio_fixture("tone.flac")));
  const auto failure = failure_of([&] { make_rereadable(longer.source(), 1024); });
  EXPECT_EQ(failure.code, ErrorCode::kInvalidValue);
  EXPECT_NE(failure.message.find("may have 1.0 KiB"), std::string::npos) << failure.message;
}

}  // namespace
}  // namespace steno::audio
