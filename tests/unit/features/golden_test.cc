// Log-mel against openai-whisper's own numbers (tests/golden/whisper/README.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "features/mel_store.h"
#include "support/golden.h"

namespace steno::features {
namespace {

// Samples of a golden WAV: int16 behind a header of 44 bytes.
std::vector<float> load_pcm(const std::string& name) {
  constexpr std::size_t kHeaderBytes = 44;
  const std::string bytes = file::read(golden::folder() / "audio" / name);
  std::vector<float> pcm;
  for (std::size_t i = kHeaderBytes; i + 1 < bytes.size(); i += 2) {
    std::int16_t sample;
    std::memcpy(&sample, bytes.data() + i, sizeof(sample));
    pcm.push_back(static_cast<float>(sample) / 32768.0F);
  }
  return pcm;
}

// Row i of `expected` [M, n] transposed is row frames[i] of `mel`.
void expect_close(const Tensor& mel, const std::vector<std::int64_t>& frames,
                  const Tensor& expected) {
  const std::int64_t num_mels = expected.dim(0);
  ASSERT_EQ(mel.dim(1), num_mels);
  ASSERT_EQ(expected.dim(1), static_cast<std::int64_t>(frames.size()));
  std::vector<float> got, want;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    for (std::int64_t m = 0; m < num_mels; ++m) {
      got.push_back(mel.data<float>()[frames[i] * num_mels + m]);
      want.push_back(expected.data<float>()[m * static_cast<std::int64_t>(frames.size()) + i]);
    }
  }
  EXPECT_LE(golden::relative_error(got, want), 1e-5);
  // One bin alone: next to the floor, 80 dB below the loudest, torch's f32 is itself up to 3e-5
  // away from the exact value on these clips, and so are we.
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], 6e-5)
        << "frame " << frames[i / num_mels] << " bin " << i % num_mels;
  }
}

std::vector<std::int64_t> frame_range(std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
  std::vector<std::int64_t> frames;
  for (; begin < end; begin += step) frames.push_back(begin);
  return frames;
}

MelStore whole_file(const std::vector<float>& pcm, int num_mels) {
  LogMel log_mel(num_mels);
  MelStore store(num_mels);
  store.append(log_mel.push(pcm));
  store.append(log_mel.finish());
  store.finish(log_mel.content_frames());
  return store;
}

class WhisperMel : public ::testing::TestWithParam<int> {
 protected:
  Tensor array(const std::string& name) const { return model_.array(name); }

  const golden::Model model_{"tiny-" + std::to_string(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(Mels, WhisperMel, ::testing::Values(80, 128));

TEST_P(WhisperMel, PaddedWindow) {
  std::vector<std::int64_t> frames = frame_range(0, 400);
  frames.insert(frames.end(), {2998, 2999});
  expect_close(log_mel_padded(load_pcm("a.wav"), GetParam()), frames, array("mel_30s"));
}

TEST_P(WhisperMel, WholeFileAndTheZerosBehind) {
  const MelStore a = whole_file(load_pcm("a.wav"), GetParam());
  EXPECT_EQ(a.content_frames() + kWindowFrames, model_.meta["mel_stream_frames"]["a"]);
  expect_close(a.read_window_with_silence(0, 304), frame_range(0, 304), array("mel_stream"));
}

TEST_P(WhisperMel, LongerThanAWindow) {
  const MelStore d = whole_file(load_pcm("d.wav"), GetParam());
  expect_close(d.read_window(0, d.content_frames()), frame_range(0, 3800, 100),
               array("mel_stream_d"));
}

TEST_P(WhisperMel, TwoFrames) {
  const MelStore c = whole_file(load_pcm("c.wav"), GetParam());
  expect_close(c.read_window_with_silence(0, 8), frame_range(0, 8), array("mel_stream_c"));
}

}  // namespace
}  // namespace steno::features
