// A hole in a recording is reported with its place, or fails the whole: never a silent one.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "audio/decoder.h"
#include "support/audio_sources.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

using test::audio_fixture;
using test::failure_of;
using test::read_bytes;

struct Result {
  std::vector<float> samples;
  DecodeReport report;
};

Result decode(const std::string& bytes) {
  Decoder decoder = Decoder::open(Source::memory(bytes, "broken"));
  std::vector<float> samples(2000000);
  samples.resize(decoder.read(samples));
  return {samples, decoder.report()};
}

std::string strict_failure(const std::string& bytes) {
  const auto failure =
      failure_of([&] { decode_all(Source::memory(bytes, "broken"), {.strict = true}); });
  EXPECT_EQ(failure.code, ErrorCode::kInvalidAudio);
  return failure.message;
}

std::string garbage(std::size_t num_bytes) {
  std::string bytes(num_bytes, '\0');
  unsigned state = 1;
  for (char& byte : bytes) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

double missing_s(const DecodeReport& report) {
  std::int64_t sum = 0;
  for (const SampleRange& range : report.missing) sum += range.end_samples - range.begin_samples;
  return static_cast<double>(sum) / kSampleRate;
}

// The second of three pages, a second each.
TEST(Missing, an_ogg_page_is_named_to_the_sample) {
  std::string bytes = read_bytes(audio_fixture("tone.opus"));
  bytes[bytes.size() / 4] ^= 1;
  const Result result = decode(bytes);
  ASSERT_EQ(result.report.missing.size(), 1U);
  const SampleRange range = result.report.missing[0];
  EXPECT_EQ(range.end_samples - range.begin_samples, 16000);
  for (auto i = range.begin_samples; i < range.end_samples; ++i) {
    ASSERT_EQ(result.samples[static_cast<std::size_t>(i)], 0.0F);
  }
  EXPECT_NEAR(result.report.covered_s + missing_s(result.report), 3.0, 0.001);
  EXPECT_NE(strict_failure(bytes).find("1.00 s are missing at"), std::string::npos);
}

// Over half a second of the silence before the tone, at 32 kbit/s.
TEST(Missing, two_kilobytes_of_garbage_in_an_mp3) {
  std::string bytes = read_bytes(audio_fixture("tone.mp3"));
  bytes.replace(1700, 2048, garbage(2048));
  const Result result = decode(bytes);
  EXPECT_NEAR(result.report.duration_s(), 3.0, 0.06);
  EXPECT_GT(result.report.decode_errors, 0);
  EXPECT_GT(missing_s(result.report), 0.3);
  EXPECT_NEAR(result.report.covered_s + missing_s(result.report), result.report.duration_s(), 0.06);
  for (const SampleRange& range : result.report.missing) {
    EXPECT_GT(range.begin_samples, 0.3 * kSampleRate);
    EXPECT_LT(range.end_samples, 1.1 * kSampleRate);
  }
  std::size_t end = result.samples.size();
  while (end > 0 && std::abs(result.samples[end - 1]) < 0.1F) --end;
  EXPECT_NEAR(static_cast<double>(end) / kSampleRate, 2.0, 0.06);  // the tone is where it was
  EXPECT_NE(strict_failure(bytes).find("a broken packet after"), std::string::npos);
}

TEST(Missing, nothing_of_a_whole_recording) {
  for (const char* fixture : {"tone.mp3", "tone.m4a", "tone.opus", "tone_live.webm", "tone.flac",
                              "tone.ogg", "tone_vbr_no_xing.mp3"}) {
    SCOPED_TRACE(fixture);
    const std::string bytes = read_bytes(audio_fixture(fixture));
    EXPECT_TRUE(decode(bytes).report.missing.empty());
    EXPECT_GE(decode_all(Source::memory(bytes, "a"), {.strict = true}).size(), 48000U);
  }
}

TEST(Strict, takes_no_input_that_was_cut_off) {
  const std::string bytes = test::wav({}, std::string(32000, '\0'), 64000);
  EXPECT_NE(strict_failure(bytes).find("claims 62 KiB but the input has 31 KiB"),
            std::string::npos);
}

TEST(Strict, takes_no_samples_that_are_no_numbers) {
  const std::string bytes = test::wav(
      {.tag = 3, .bits = 32}, test::raw<float>({0.5F, std::numeric_limits<float>::quiet_NaN()}));
  EXPECT_NE(strict_failure(bytes).find("1 samples were not finite"), std::string::npos);
}

}  // namespace
}  // namespace steno::audio
