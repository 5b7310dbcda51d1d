// A day of audio and more, read to its end: in fixed memory, and to the last sample.
#include <gtest/gtest.h>

#include "audio/decoder.h"
#include "support/audio_huge.h"
#include "support/resident_memory.h"

namespace steno::audio {
namespace {

// Growth beyond what the first minute takes; the decoder itself needs some 200 KiB.
constexpr std::int64_t kMaxGrowth_kib = 4096;

// The last second is a tone; all before it is silence.
void expect_read_in_fixed_memory(const Source& source, std::int64_t num_seconds, float loudest) {
  Decoder decoder = Decoder::open(source);
  std::vector<float> out(kSampleRate);
  std::int64_t after_a_minute_kib = 0;
  for (std::int64_t second = 0; second < num_seconds; ++second) {
    ASSERT_EQ(decoder.read(out), out.size()) << second;
    if (second == 60) after_a_minute_kib = test::resident_kib();
    if (second == num_seconds - 2) {
      EXPECT_EQ(*std::ranges::max_element(out), 0.0F);
    }
  }
  EXPECT_NEAR(*std::ranges::max_element(out), loudest, 0.01F);
  EXPECT_EQ(decoder.read(out), 0U);
  EXPECT_EQ(decoder.report().duration_s(), static_cast<double>(num_seconds));
  EXPECT_TRUE(decoder.report().warnings.empty());
  if (test::kSanitized) return;  // a sanitizer's own memory hides the program's
  EXPECT_LT(test::resident_kib() - after_a_minute_kib, kMaxGrowth_kib);
}

std::string tone_s16() {
  return test::raw(test::to_s16(test::sine(440, 0.5, kSampleRate, kSampleRate)));
}

TEST(DayLong, ThirtySixHoursOfWav) {
  constexpr std::int64_t kSeconds = 36 * 3600;
  constexpr std::int64_t kNumBytes = kSeconds * kSampleRate * 2;  // 3.9 GiB, just below the limit
  expect_read_in_fixed_memory(
      test::huge_source(test::wav_header({}, static_cast<std::uint32_t>(kNumBytes)),
                        kNumBytes - kSampleRate * 2, '\0', tone_s16()),
      kSeconds, 0.5F);
}

TEST(DayLong, TwentyFourHoursOfRf64PastFourGigabytes) {
  constexpr std::int64_t kSeconds = 24 * 3600;
  constexpr std::int64_t kNumBytes = kSeconds * kSampleRate * 4;  // 5.1 GiB
  const test::WavFormat format{.tag = 3, .bits = 32};
  const std::string tone = test::raw(test::sine(440, 0.5, kSampleRate, kSampleRate));
  expect_read_in_fixed_memory(test::huge_source(test::rf64_header(format, kNumBytes),
                                                kNumBytes - std::ssize(tone), '\0', tone),
                              kSeconds, 0.5F);
}

}  // namespace
}  // namespace steno::audio
