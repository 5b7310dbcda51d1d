// Samples that a codec adds in front and behind are no part of the recording: edit lists of mp4,
// pre-skip and granule positions of Ogg Opus, and what headers of VBR mp3 say or do not say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "audio/decoder.h"
#include "support/audio_sources.h"

namespace steno::audio {
namespace {

using namespace std::string_literals;
using test::audio_fixture;
using test::read_bytes;

struct Result {
  std::vector<float> samples;
  DecodeReport report;
};

Result decode(const std::string& bytes) {
  Decoder decoder = Decoder::open(Source::memory(bytes, "a"));
  std::vector<float> samples(200000);
  samples.resize(decoder.read(samples));
  return {samples, decoder.report()};
}

double onset_s(const std::vector<float>& samples) {
  std::size_t i = 0;
  while (i < samples.size() && std::abs(samples[i]) < 0.05F) ++i;
  return static_cast<double>(i) / kSampleRate;
}

std::string be32(std::uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((value >> shift) & 0xFF);
  return bytes;
}

std::uint32_t read_be32(const std::string& bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = (value << 8) | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

// tone.m4a (the tone at 1.000 s, 44.1 kHz, media time 1024) with its edit list replaced.
// Source: ISO/IEC 14496-12, 8.6.6: entries of duration (ms here), media time, rate.
std::string with_edits(const std::vector<std::pair<std::uint32_t, std::int32_t>>& edits) {
  std::string bytes = read_bytes(audio_fixture("tone.m4a"));
  const std::size_t elst = bytes.find("elst");
  EXPECT_EQ(read_be32(bytes, elst + 8), 1U);
  EXPECT_EQ(read_be32(bytes, elst + 16), 1024U);
  std::string entries;
  for (const auto& [duration_ms, media_time] : edits) {
    entries += be32(duration_ms) + be32(static_cast<std::uint32_t>(media_time)) + be32(0x10000);
  }
  bytes.replace(elst + 12, 12, entries);
  bytes.replace(elst + 8, 4, be32(static_cast<std::uint32_t>(edits.size())));
  std::uint32_t movie_ms = 0;
  for (const auto& edit : edits) movie_ms += edit.first;
  const std::size_t mvhd = bytes.find("mvhd");
  EXPECT_EQ(read_be32(bytes, mvhd + 16), 1000U);  // its unit
  bytes.replace(mvhd + 20, 4, be32(movie_ms));
  // mdat lies before moov, so only the sizes of the boxes around change.
  const auto growth = static_cast<std::uint32_t>(entries.size() - 12);
  for (const char* box : {"moov", "trak", "edts", "elst"}) {
    const std::size_t size_at = bytes.find(box) - 4;
    bytes.replace(size_at, 4, be32(read_be32(bytes, size_at) + growth));
  }
  return bytes;
}

TEST(EditList, encoder_delay_of_1024_and_of_2112_samples_is_cut_off) {
  EXPECT_NEAR(onset_s(decode(with_edits({{3000, 1024}})).samples), 1.0, 0.005);
  EXPECT_NEAR(onset_s(decode(with_edits({{2900, 2112}})).samples), 1.0 - (2112 - 1024) / 44100.0,
              0.005);
}

TEST(EditList, duration_is_that_of_the_presentation) {
  for (const std::uint32_t duration_ms : {3000U, 2900U, 1500U, 40U}) {
    SCOPED_TRACE(duration_ms);
    const Result result = decode(with_edits({{duration_ms, 1024}}));
    EXPECT_NEAR(result.report.duration_s(), duration_ms / 1000.0, 0.001);
    EXPECT_TRUE(result.report.warnings.empty()) << result.report.warnings.front();
  }
}

TEST(EditList, an_empty_edit_is_silence_in_front) {
  const Result result = decode(with_edits({{500, -1}, {3000, 1024}}));
  EXPECT_NEAR(onset_s(result.samples), 1.5, 0.005);
  EXPECT_NEAR(result.report.duration_s(), 3.5, 0.001);
  EXPECT_NEAR(result.report.covered_s, 3.0, 0.001);
  EXPECT_TRUE(result.report.missing.empty());  // not lost: nothing was there
}

// Source: RFC 3533, 6: CRC of polynomial 0x04C11DB7, the field itself counted as 0.
std::uint32_t ogg_crc(std::string_view page) {
  std::uint32_t crc = 0;
  for (std::size_t i = 0; i < page.size(); ++i) {
    const bool is_field = i >= 22 && i < 26;
    crc ^= std::uint32_t{is_field ? std::uint8_t{0} : static_cast<std::uint8_t>(page[i])} << 24;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1) ^ ((crc >> 31) != 0 ? 0x04C11DB7U : 0U);
  }
  return crc;
}

std::string le(std::uint64_t value, int num_bytes) {
  std::string bytes;
  for (int i = 0; i < num_bytes; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xFF);
  return bytes;
}

constexpr std::size_t kGranule = 6;
constexpr std::size_t kPreSkip = 28 + 10;  // in the first page: a segment, then OpusHead

// `field` of the page that begins at `page`, and its CRC made right.
std::string with_page_field(std::string bytes, std::size_t page, std::size_t field,
                            const std::string& value) {
  bytes.replace(page + field, value.size(), value);
  const std::size_t end = std::min(bytes.find("OggS", page + 4), bytes.size());
  const std::string crc = le(ogg_crc(std::string_view(bytes).substr(page, end - page)), 4);
  return bytes.replace(page + 22, 4, crc);
}

// RFC 7845, 4: what is played is (granule of the last page - pre-skip) samples at 48 kHz.
TEST(Opus, pre_skip_and_granule_give_the_exact_number_of_samples) {
  const std::string bytes = read_bytes(audio_fixture("tone.opus"));
  ASSERT_EQ(bytes.substr(28, 8), "OpusHead");
  const int pre_skip = static_cast<unsigned char>(bytes[kPreSkip]) +
                       256 * static_cast<unsigned char>(bytes[kPreSkip + 1]);
  const std::size_t last_page = bytes.rfind("OggS");
  ASSERT_EQ(with_page_field(bytes, last_page, kGranule, bytes.substr(last_page + kGranule, 8)),
            bytes)
      << "the CRC of the test is wrong";
  for (const int num_at_48k : {144000, 143997, 143700, 143688}) {
    SCOPED_TRACE(num_at_48k);
    const auto granule = static_cast<std::uint64_t>(num_at_48k + pre_skip);
    const Result result = decode(with_page_field(bytes, last_page, kGranule, le(granule, 8)));
    EXPECT_EQ(std::ssize(result.samples), num_at_48k / 3);
    EXPECT_NEAR(onset_s(result.samples), 1.0, 0.005);
    EXPECT_TRUE(result.report.warnings.empty());
  }
}

TEST(Opus, a_longer_pre_skip_moves_the_onset) {
  const std::string bytes = read_bytes(audio_fixture("tone.opus"));
  const int pre_skip = static_cast<unsigned char>(bytes[kPreSkip]) +
                       256 * static_cast<unsigned char>(bytes[kPreSkip + 1]);
  const auto longer = static_cast<std::uint64_t>(pre_skip + 4800);  // 0.1 s
  const Result result = decode(with_page_field(bytes, 0, kPreSkip, le(longer, 2)));
  EXPECT_EQ(result.samples.size(), 48000U - 1600U);
  EXPECT_NEAR(onset_s(result.samples), 0.9, 0.005);
}

// A frame of 32 kbit/s, 44.1 kHz, mono, which holds a VBRI tag of `num_frames` frames.
// Source: Fraunhofer's VBRI header, 32 bytes after the frame's own 4.
std::string vbri_frame(std::uint32_t num_frames, std::uint32_t num_bytes) {
  std::string frame = "\xFF\xFB\x10\xC0"s + std::string(32, '\0');
  frame += "VBRI\0\1\0\0\0\0"s + be32(num_bytes) + be32(num_frames) + "\0\0\0\1\0\2\0\1"s;
  frame.resize(104, '\0');  // 144 * 32000 / 44100
  return frame;
}

TEST(VbrMp3, without_a_header_the_duration_is_what_was_decoded) {
  const Result result = decode(read_bytes(audio_fixture("tone_vbr_no_xing.mp3")));
  EXPECT_EQ(result.samples.size(), 48483U);  // 116 frames of 1152 samples at 44.1 kHz
  EXPECT_TRUE(result.report.warnings.empty());
}

TEST(VbrMp3, a_vbri_frame_of_32_kbit_is_no_guide_to_the_duration) {
  const std::string audio = read_bytes(audio_fixture("tone_vbr_no_xing.mp3"));
  const auto num_bytes = static_cast<std::uint32_t>(audio.size() + 104);
  const Result result = decode(vbri_frame(116, num_bytes) + audio);
  EXPECT_NEAR(result.report.duration_s(), 48483.0 / kSampleRate, 0.03);  // a frame more or less
  EXPECT_NEAR(onset_s(result.samples), 1.025, 0.03);
  EXPECT_TRUE(result.report.warnings.empty()) << result.report.warnings.front();
}

TEST(VbrMp3, a_vbri_tag_that_claims_ten_times_as_much_changes_nothing_but_a_warning) {
  const std::string audio = read_bytes(audio_fixture("tone_vbr_no_xing.mp3"));
  const auto num_bytes = static_cast<std::uint32_t>(audio.size() + 104);
  const Result result = decode(vbri_frame(1160, num_bytes) + audio);
  EXPECT_NEAR(result.report.duration_s(), 48483.0 / kSampleRate, 0.03);
  EXPECT_NEAR(onset_s(result.samples), 1.025, 0.03);
  EXPECT_EQ(result.report.warnings.size(), 1U);
}

// The content decides, whatever the name says.
TEST(Names, tell_nothing) {
  const test::TemporaryFolder folder;
  const std::pair<const char*, const char*> kRenamed[] = {
      {"tone_live.webm", "webm.mp3"}, {"tone.opus", "voice.opus"}, {"tone.opus", "noextension"},
      {"tone.m4a", "m4a.wav"},        {"tone.mp3", "mp3.mp4"},     {"tone.flac", "flac.txt"}};
  for (const auto& [fixture, name] : kRenamed) {
    SCOPED_TRACE(name);
    const auto path = folder.path() / name;
    test::write_bytes(path, read_bytes(audio_fixture(fixture)));
    EXPECT_EQ(decode_all(Source::file(path)).size(), 48000U);
  }
}

}  // namespace
}  // namespace steno::audio
