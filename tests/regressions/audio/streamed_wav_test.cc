// WAV files whose header does not know, or does not tell, how long they are.
#include <gtest/gtest.h>

#include "audio/decoder.h"
#include "support/audio_sources.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

using test::wav;

struct Result {
  std::vector<float> samples;
  DecodeReport report;
  AudioInfo info;
};

Result decode(const Source& source) {
  Decoder decoder = Decoder::open(source);
  std::vector<float> samples(100000);
  samples.resize(decoder.read(samples));
  return {samples, decoder.report(), decoder.info()};
}

class StreamedWav : public testing::Test {
 protected:
  std::vector<std::int16_t> pcm_ = test::to_s16(test::sine(440, 0.5, 16000, 6400));  // 0.4 s
  std::string data_ = test::raw(pcm_);
};

TEST_F(StreamedWav, wav_with_data_size_ffffffff) {
  const Result result = decode(Source::memory(wav({}, data_, 0xFFFFFFFF), "a"));
  EXPECT_EQ(result.samples.size(), 6400U);
  EXPECT_EQ(result.samples.back(), static_cast<float>(pcm_.back()) / 32768.0F);
  EXPECT_TRUE(result.report.warnings.empty());
  EXPECT_FALSE(result.info.claimed_duration_s);
}

TEST_F(StreamedWav, wav_with_data_size_0) {
  const Result result = decode(Source::memory(wav({}, data_, 0), "a"));
  EXPECT_EQ(result.samples.size(), 6400U);
  EXPECT_TRUE(result.report.warnings.empty());
}

TEST_F(StreamedWav, wav_with_unknown_size_through_a_pipe) {
  for (const std::uint32_t size : {0xFFFFFFFFU, 0U}) {
    const test::Pipe pipe(wav({}, data_, size));
    EXPECT_EQ(decode(pipe.source()).samples.size(), 6400U) << size;
  }
}

TEST_F(StreamedWav, wav_that_claims_more_than_there_is) {
  const Result result = decode(Source::memory(wav({}, data_, 0xFFFFFF00), "talk.wav"));
  EXPECT_EQ(result.samples.size(), 6400U);
  EXPECT_DOUBLE_EQ(result.report.duration_s(), 0.4);
  ASSERT_EQ(result.report.warnings.size(), 1U);
  EXPECT_EQ(
      result.report.warnings[0],
      "audio: talk.wav: the 'data' chunk claims 4.0 GiB but the input has 12 KiB (cut off while "
      "uploading?); decoded the 0.4 s that are there");
}

TEST_F(StreamedWav, wav_that_claims_more_through_a_pipe) {
  const test::Pipe pipe(wav({}, data_, 1000000));
  const Result result = decode(pipe.source());
  EXPECT_EQ(result.samples.size(), 6400U);
  ASSERT_EQ(result.report.warnings.size(), 1U);
  EXPECT_NE(result.report.warnings[0].find("claims 977 KiB but the input has 12 KiB"),
            std::string::npos)
      << result.report.warnings[0];
}

TEST_F(StreamedWav, wav_cut_off_in_the_middle_of_a_sample) {
  std::string bytes = wav({.num_channels = 2}, data_);
  bytes.resize(bytes.size() - 3);
  EXPECT_EQ(decode(Source::memory(bytes, "a")).samples.size(), 3199U);
}

TEST_F(StreamedWav, wav_with_a_chunk_after_the_data) {
  const std::string bytes = wav({}, data_) + std::string("LIST\4\0\0\0INFO", 12);
  EXPECT_EQ(decode(Source::memory(bytes, "a")).samples.size(), 6400U);
  const test::Pipe pipe(bytes);
  EXPECT_EQ(decode(pipe.source()).samples.size(), 6400U);
}

TEST_F(StreamedWav, clip_of_10_ms_has_a_duration_of_10_ms) {
  const Result result = decode(Source::memory(wav({}, data_.substr(0, 320)), "a"));
  EXPECT_DOUBLE_EQ(result.report.duration_s(), 0.01);
}

TEST_F(StreamedWav, rf64_is_read_by_its_64_bit_size) {
  std::string bytes = test::wav_header({}, 0xFFFFFFFF);
  bytes.replace(0, 4, "RF64");
  std::string ds64 = "ds64";
  test::append<std::uint32_t>(ds64, 28);
  test::append<std::uint64_t>(ds64, data_.size() + 72);
  test::append<std::uint64_t>(ds64, data_.size());
  test::append<std::uint64_t>(ds64, data_.size() / 2);
  test::append<std::uint32_t>(ds64, 0);
  bytes.insert(12, ds64);
  const Result result = decode(Source::memory(bytes + data_ + "LIST....", "a"));
  EXPECT_EQ(result.samples.size(), 6400U);
  EXPECT_TRUE(result.report.warnings.empty());
}

}  // namespace
}  // namespace steno::audio
