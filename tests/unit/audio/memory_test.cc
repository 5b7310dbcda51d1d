// Memory does not grow with the length: hours of audio that exist nowhere but in a generator.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include "audio/decoder.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

// A streamed WAV of zeros, `num_bytes` long.
class GeneratedWav : public ByteStream {
 public:
  explicit GeneratedWav(std::int64_t num_bytes) : left_(num_bytes) {}

  std::size_t read(std::span<std::byte> out) override {
    const auto count = static_cast<std::size_t>(std::min<std::int64_t>(left_, out.size()));
    std::memset(out.data(), 0, count);
    if (first_) std::memcpy(out.data(), header_.data(), header_.size());
    first_ = false;
    left_ -= static_cast<std::int64_t>(count);
    return count;
  }

 private:
  std::string header_ = test::wav_header({.rate_hz = 24000}, 0xFFFFFFFF);
  std::int64_t left_;
  bool first_ = true;
};

std::int64_t resident_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    long long value = 0;
    if (std::sscanf(line.c_str(), "VmRSS: %lld", &value) == 1) return value;
  }
  return 0;
}

// AddressSanitizer keeps freed blocks aside and ThreadSanitizer shadows, so that no size means
// anything.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

TEST(Memory, TwoHoursTakeNoMoreThanTwoMinutes) {
  if (resident_kib() == 0) GTEST_SKIP() << "no /proc/self/status on this system";
  if (kSanitized) GTEST_SKIP() << "a sanitizer's own memory hides the program's";
  constexpr std::int64_t kBytesPerSecond = 24000 * 2;
  constexpr std::int64_t kSeconds = 7200;
  const Source source = Source::custom(
      [] { return std::make_unique<GeneratedWav>(44 + kSeconds * kBytesPerSecond); }, "generated");
  Decoder decoder = Decoder::open(source);
  std::vector<float> out(16000);
  std::int64_t after_two_minutes_kib = 0;
  for (int second = 0; second < kSeconds; ++second) {
    ASSERT_EQ(decoder.read(out), 16000U);
    if (second == 120) after_two_minutes_kib = resident_kib();
  }
  EXPECT_EQ(decoder.read(out), 0U);
  EXPECT_EQ(decoder.report().duration_s(), kSeconds);
  EXPECT_LT(resident_kib() - after_two_minutes_kib, 4096);
}

}  // namespace
}  // namespace steno::audio
