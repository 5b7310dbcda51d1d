// Damaged files: what is whole is decoded, what is not becomes silence of its length, and the
// report says so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "audio/decoder.h"
#include "support/audio_sources.h"

namespace steno::audio {
namespace {

struct Result {
  std::vector<float> samples;
  DecodeReport report;
};

Result decode(const std::string& bytes) {
  Decoder decoder = Decoder::open(Source::memory(bytes, "broken"));
  std::vector<float> samples(200000);
  samples.resize(decoder.read(samples));
  return {samples, decoder.report()};
}

double last_loud_s(const std::vector<float>& samples) {
  std::size_t i = samples.size();
  while (i > 0 && std::abs(samples[i - 1]) < 0.1F) --i;
  return static_cast<double>(i) / kSampleRate;
}

// `num_bytes` from a quarter of the file on, which is in the silence before the tone or early in
// it.
std::string with_garbage(const std::string& fixture, std::size_t num_bytes) {
  std::string bytes = test::read_bytes(test::audio_fixture(fixture));
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 4);
  unsigned state = 1;
  std::generate_n(begin, num_bytes, [&] {
    state = state * 1664525U + 1013904223U;
    return static_cast<char>(state >> 24);
  });
  return bytes;
}

// The tone ends at 2.0 s, whatever was lost before it.
class Garbage : public testing::TestWithParam<const char*> {};

TEST_P(Garbage, in_the_middle_keeps_the_timeline) {
  const Result result = decode(with_garbage(GetParam(), 500));
  EXPECT_NEAR(result.report.duration_s(), 3.0, 0.06);
  EXPECT_NEAR(last_loud_s(result.samples), 2.0, 0.06);
  EXPECT_LT(result.report.covered_s, 2.99);
  EXPECT_FALSE(result.report.warnings.empty());
}

INSTANTIATE_TEST_SUITE_P(All, Garbage,
                         testing::Values("tone.mp3", "tone_vbr_no_xing.mp3", "tone.m4a",
                                         "tone.flac", "tone_live.webm"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// An Ogg page holds a second of this file, and one wrong byte loses the page.
TEST(Lost, in_an_ogg_page_costs_the_page_and_not_its_time) {
  const Result result = decode(with_garbage("tone.opus", 500));
  EXPECT_EQ(result.samples.size(), 48000U);
  EXPECT_NEAR(result.report.covered_s, 2.0, 0.01);
  ASSERT_EQ(result.report.warnings.size(), 1U);
  EXPECT_EQ(result.report.warnings[0],
            "audio: broken: 1.00 s are missing (lost, or not recorded); silence stands for them");
}

TEST(Lost, garbage_between_mp3_frames_is_no_lost_time) {
  const std::string bytes = test::read_bytes(test::audio_fixture("tone.mp3"));
  const std::size_t middle = bytes.size() / 4;
  const std::string garbage(2000, '\x55');
  const Result result = decode(bytes.substr(0, middle) + garbage + bytes.substr(middle));
  EXPECT_NEAR(result.report.duration_s(), 3.0, 0.06);
  EXPECT_NEAR(last_loud_s(result.samples), 2.0, 0.06);
  EXPECT_GT(result.report.decode_errors, 0);
}

TEST(Lost, a_tag_between_joined_mp3_files_is_no_lost_time) {
  const std::string one = test::read_bytes(test::audio_fixture("tone_vbr_no_xing.mp3"));
  const std::string tag = std::string("ID3\4\0\0\0\0\x1F\x76", 10) + std::string(4086, 'x');
  EXPECT_NEAR(decode(one + tag + one).report.duration_s(), 2 * 3.03, 0.1);
}

TEST(Truncated, mp3_and_flac_say_what_is_missing) {
  for (const char* fixture : {"tone.mp3", "tone.flac"}) {
    SCOPED_TRACE(fixture);
    const std::string bytes = test::read_bytes(test::audio_fixture(fixture));
    const Result result = decode(bytes.substr(0, bytes.size() / 2));
    EXPECT_GT(result.report.duration_s(), 0.5);
    EXPECT_LT(result.report.duration_s(), 2.5);
    ASSERT_FALSE(result.report.warnings.empty());
    EXPECT_NE(result.report.warnings[0].find("claims 3.0 s but"), std::string::npos)
        << result.report.warnings[0];
  }
}

TEST(Truncated, webm_is_decoded_to_where_it_ends) {
  const std::string bytes = test::read_bytes(test::audio_fixture("tone_live.webm"));
  EXPECT_GT(decode(bytes.substr(0, bytes.size() / 2)).samples.size(), 16000U);
}

TEST(Truncated, every_prefix_of_every_fixture_ends_in_samples_or_an_error) {
  for (const char* fixture :
       {"tone.mp3", "tone_vbr_no_xing.mp3", "tone.m4a", "tone.flac", "tone_live.webm", "tone.ogg",
        "two_tracks.mkv", "video_only.mp4", "tone_with_cover.mp3"}) {
    SCOPED_TRACE(fixture);
    const std::string bytes = test::read_bytes(test::audio_fixture(fixture));
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 61) {
      try {
        decode_all(Source::memory(bytes.substr(0, size), "prefix"));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kInvalidAudio) << error.what();
      }
    }
  }
}

TEST(Damaged, any_byte_wrong_ends_in_samples_or_an_error) {
  unsigned state = 7;
  const auto random = [&] { return state = state * 1664525U + 1013904223U; };
  for (const char* fixture : {"tone.mp3", "tone_vbr_no_xing.mp3", "tone.m4a", "tone.flac",
                              "tone_live.webm", "two_tracks.mkv", "video_only.mp4"}) {
    SCOPED_TRACE(fixture);
    const std::string whole = test::read_bytes(test::audio_fixture(fixture));
    for (int round = 0; round < 40; ++round) {
      std::string bytes = whole;
      for (int i = 0; i < 20; ++i)
        bytes[(random() >> 4) % bytes.size()] = static_cast<char>(random() >> 24);
      try {
        decode_all(Source::memory(bytes, "damaged"));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kInvalidAudio) << error.what();
      }
    }
  }
}

}  // namespace
}  // namespace steno::audio
