// Cancelling, failing sources, strictness, and many decoders at once.
#include "audio/decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "support/audio_sources.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

using test::audio_fixture;
using test::failure_of;

// Gives the first bytes of a WAV, then fails.
class FailingStream : public ByteStream {
 public:
  std::size_t read(std::span<std::byte> out) override {
    if (given_ > 100000) throw Error(ErrorCode::kUnavailable, "the network is gone");
    const std::string header = test::wav_header({}, 0xFFFFFFFF);
    std::fill(out.begin(), out.end(), std::byte{0});
    if (given_ == 0) std::memcpy(out.data(), header.data(), header.size());
    given_ += out.size();
    return out.size();
  }

 private:
  std::size_t given_ = 0;
};

TEST(Decoder, PassesOnWhatTheSourceThrew) {
  const Source source =
      Source::custom([] { return std::make_unique<FailingStream>(); }, "s3://b/k");
  const auto failure = failure_of([&] { decode_all(source); });
  EXPECT_EQ(failure.code, ErrorCode::kUnavailable);
  EXPECT_EQ(failure.message, "the network is gone");
}

TEST(Decoder, StopsWhenCancelled) {
  bool cancelled = false;
  const std::string bytes = test::wav({}, std::string(3200000, '\0'));
  Decoder decoder =
      Decoder::open(Source::memory(bytes, "long.wav"), {.cancelled = [&] { return cancelled; }});
  std::vector<float> out(16000);
  EXPECT_EQ(decoder.read(out), 16000U);
  cancelled = true;
  out.resize(1600000);
  const auto failure = failure_of([&] { decoder.read(out); });
  EXPECT_EQ(failure.code, ErrorCode::kUnavailable);
  EXPECT_EQ(failure.message, "audio: long.wav: cancelled");
}

TEST(Decoder, CancelledBeforeItBegan) {
  const Source source = Source::file(audio_fixture("tone.m4a"));
  const auto failure = failure_of([&] { decode_all(source, {.cancelled = [] { return true; }}); });
  EXPECT_EQ(failure.code, ErrorCode::kUnavailable);
}

TEST(Decoder, StrictFailsAtTheFirstBrokenPacket) {
  std::string bytes = test::read_bytes(audio_fixture("tone.m4a"));
  std::fill(bytes.begin() + 1500, bytes.begin() + 2200, '\xA5');
  EXPECT_GT(decode_all(Source::memory(bytes, "x.m4a")).size(), 47000U);
  const auto failure =
      failure_of([&] { decode_all(Source::memory(bytes, "x.m4a"), {.strict = true}); });
  EXPECT_EQ(failure.code, ErrorCode::kInvalidAudio);
  EXPECT_NE(failure.message.find("a broken packet after"), std::string::npos) << failure.message;
}

TEST(Decoder, ReadAfterTheEndGivesNothing) {
  Decoder decoder = Decoder::open(Source::file(audio_fixture("tone.flac")));
  std::vector<float> out(50000);
  EXPECT_EQ(decoder.read(out), 48000U);
  EXPECT_EQ(decoder.read(out), 0U);
  EXPECT_EQ(decoder.read({}), 0U);
  EXPECT_EQ(decoder.report().num_samples, 48000);
}

TEST(Decoder, ManyAtOnceDoNotDisturbEachOther) {
  const auto expected = decode_all(Source::file(audio_fixture("tone.mp3")));
  std::vector<std::thread> threads;
  std::vector<int> equal(8, 0);
  for (std::size_t i = 0; i < equal.size(); ++i) {
    threads.emplace_back([&, i] {
      equal[i] = decode_all(Source::file(audio_fixture("tone.mp3"))) == expected;
      try {
        decode_all(Source::file(audio_fixture("picture.png")));
      } catch (const Error& error) {
        equal[i] += std::string(error.what()).find("png") != std::string::npos;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(equal, std::vector<int>(8, 2));
}

}  // namespace
}  // namespace steno::audio
