// Memory does not grow with the length: hours of audio that exist nowhere but in a generator.
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>

#include "audio/decoder.h"
#include "support/audio_huge.h"
#include "support/audio_sources.h"
#include "support/resident_memory.h"

namespace steno::audio {
namespace {

TEST(Memory, TwoHoursTakeNoMoreThanTwoMinutes) {
  if (test::resident_kib() == 0) GTEST_SKIP() << "no /proc/self/status on this system";
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer's own memory hides the program's";
  constexpr std::int64_t kBytesPerSecond = 24000 * 2;
  constexpr std::int64_t kSeconds = 7200;
  const Source source = test::huge_source(test::wav_header({.rate_hz = 24000}, 0xFFFFFFFF),
                                          kSeconds * kBytesPerSecond, '\0', "");
  Decoder decoder = Decoder::open(source);
  std::vector<float> out(16000);
  std::int64_t after_two_minutes_kib = 0;
  for (int second = 0; second < kSeconds; ++second) {
    ASSERT_EQ(decoder.read(out), 16000U);
    if (second == 120) after_two_minutes_kib = test::resident_kib();
  }
  EXPECT_EQ(decoder.read(out), 0U);
  EXPECT_EQ(decoder.report().duration_s(), kSeconds);
  EXPECT_LT(test::resident_kib() - after_two_minutes_kib, 4096);
}

// Sizes past 4 GiB of which only the first and the last bytes are ever written to the disk.
void expect_hours(const std::string& header, std::int64_t num_data_bytes, double duration_s) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "hours";
  test::write_bytes(path, header);
  std::filesystem::resize_file(path, header.size() + static_cast<std::uint64_t>(num_data_bytes));
  Decoder decoder = Decoder::open(Source::file(path));
  EXPECT_DOUBLE_EQ(decoder.info().claimed_duration_s.value(), duration_s);
  std::vector<float> out(160000, 1.0F);
  EXPECT_EQ(decoder.read(out), out.size());
  EXPECT_EQ(out, std::vector<float>(160000, 0.0F));
}

TEST(Sizes, Of64BitsAreHonoured) {
  constexpr std::int64_t kHours = 10;
  constexpr std::int64_t kNumBytes = kHours * 3600 * 48000 * 4;  // 6.4 GiB
  const test::WavFormat format{.rate_hz = 48000, .num_channels = 2};
  expect_hours(test::rf64_header(format, kNumBytes), kNumBytes, kHours * 3600);
  expect_hours(test::w64_header(format, kNumBytes), kNumBytes, kHours * 3600);
}

TEST(Sizes, ATenHourWavOf16BitSizes) {
  constexpr std::int64_t kNumBytes = std::int64_t{10} * 3600 * 16000 * 2;
  expect_hours(test::wav_header({}, static_cast<std::uint32_t>(kNumBytes)), kNumBytes, 36000);
}

}  // namespace
}  // namespace steno::audio
