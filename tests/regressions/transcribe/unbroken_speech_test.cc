// Speech without a pause for a minute and more: its audio was let go of before a window had it.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "audio/decoder.h"
#include "ops/make_ops.h"
#include "support/audio_wav.h"
#include "support/golden.h"
#include "transcribe/window_reader.h"

namespace steno::transcribe {
namespace {

// 0.3 s of a reader's voice over and over.
std::vector<float> unbroken_speech(std::int64_t num_samples) {
  const auto voice =
      audio::decode_all(audio::Source::file(golden::folder() / "vad" / "librivox.wav"));
  std::vector<float> pcm(static_cast<std::size_t>(num_samples));
  for (std::size_t i = 0; i < pcm.size(); ++i) pcm[i] = voice[8000 + i % 4800];
  return pcm;
}

class UnbrokenSpeech : public testing::Test {
 protected:
  // The windows of these clips; without clips of all. Their audio is checked.
  std::vector<SpeechWindow> windows_of(std::vector<Clip> clips) {
    const test::WavFormat f32{.tag = 3, .bits = 32};
    const auto source = audio::Source::memory(test::wav(f32, test::raw(pcm_)), "voice");
    WindowReader reader(source, {}, detector_, *ops_, std::move(clips), {});
    std::vector<SpeechWindow> windows;
    while (std::optional<AudioWindow> next = reader.next()) {
      const SpeechWindow& window = next->window;
      EXPECT_LT(window.begin_samples, window.end_samples);
      EXPECT_EQ(std::ssize(next->pcm), window.end_samples - window.begin_samples);
      EXPECT_TRUE(std::ranges::equal(
          next->pcm, std::span(pcm_).subspan(static_cast<std::size_t>(window.begin_samples),
                                             next->pcm.size())));
      windows.push_back(window);
    }
    return windows;
  }

  static constexpr std::int64_t kSecond = audio::kSampleRate;
  const std::vector<float> pcm_ = unbroken_speech(150 * kSecond);
  const std::unique_ptr<ops::Ops> ops_ = ops::make_cpu_ops(1);
  const vad::SpeechDetector detector_ = vad::SpeechDetector::load(*ops_);
};

TEST_F(UnbrokenSpeech, IsAllThereInItsWindows) {
  std::int64_t read_to = 0;
  for (const SpeechWindow& window : windows_of({})) {
    EXPECT_LE(read_to, window.begin_samples);
    EXPECT_LE(window.begin_samples - read_to, kSecond / 10);
    read_to = window.end_samples;
  }
  EXPECT_GE(read_to, std::ssize(pcm_) - kSecond);
}

TEST_F(UnbrokenSpeech, MayBeHeardInClipsWithoutAGapBetweenThem) {
  const std::vector<Clip> clips = {{kSecond, kSecond + 1600},
                                   {kSecond + 1600, kSecond + 3200},
                                   {3 * kSecond, 3 * kSecond},
                                   {3 * kSecond, 9 * kSecond},
                                   {100 * kSecond, 110 * kSecond}};
  const std::vector<SpeechWindow> windows = windows_of(clips);
  ASSERT_EQ(windows.size(), 4U);
  EXPECT_EQ(windows[0].end_samples, windows[1].begin_samples);
  EXPECT_EQ(windows[2].begin_samples, 3 * kSecond);
  EXPECT_EQ(windows[2].end_samples, 9 * kSecond);
  EXPECT_EQ(windows[3].begin_samples, 100 * kSecond);
}

}  // namespace
}  // namespace steno::transcribe
