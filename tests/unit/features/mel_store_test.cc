#include "features/mel_store.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

#include "base/error.h"
#include "unit/features/naive_log_mel.h"

namespace steno::features {
namespace {

constexpr int kMels = 80;
constexpr std::size_t kFrameBytes = kMels * sizeof(float);

void fill(MelStore& store, std::span<const float> pcm) {
  LogMel log_mel(store.num_mels());
  for (; pcm.size() > 3000; pcm = pcm.subspan(3000)) store.append(log_mel.push(pcm.first(3000)));
  store.append(log_mel.push(pcm));
  store.append(log_mel.finish());
  store.finish(log_mel.content_frames());
}

std::vector<float> values(const Tensor& t) {
  return {t.data<float>(), t.data<float>() + t.num_elements()};
}

class TmpdirScope {
 public:
  explicit TmpdirScope(const char* folder) {
    if (const char* old = std::getenv("TMPDIR")) old_ = old;
    ::setenv("TMPDIR", folder, 1);
  }
  ~TmpdirScope() { old_ ? ::setenv("TMPDIR", old_->c_str(), 1) : ::unsetenv("TMPDIR"); }

 private:
  std::optional<std::string> old_;
};

TEST(MelStore, ReadsNormalisedRowsAndZerosBehindTheContent) {
  const std::vector<float> pcm = testing::test_signal(16000 + 100);
  MelStore store(kMels);
  fill(store, pcm);
  ASSERT_EQ(store.content_frames(), 100);

  LogMel log_mel(kMels);
  std::vector<float> expected;
  for (const float x : log_mel.push(pcm)) expected.push_back(x);
  for (const float x : log_mel.finish()) expected.push_back(x);
  EXPECT_EQ(store.maximum(), maximum(expected));
  normalise(expected, store.maximum());
  expected.resize(100 * kMels);

  std::vector<float> padded = expected;
  padded.resize(3000 * kMels);
  EXPECT_EQ(values(store.read_window(0, 3000)), padded);
  const std::vector<float> middle(expected.begin() + 30 * kMels, expected.begin() + 42 * kMels);
  EXPECT_EQ(values(store.read_window(30, 12)), middle);
  EXPECT_EQ(values(store.read_window(100, 2)), std::vector<float>(2 * kMels));
  EXPECT_EQ(values(store.read_window(5000, 2)), std::vector<float>(2 * kMels));
  EXPECT_EQ(store.read_window(3, 0).num_elements(), 0);
}

TEST(MelStore, WindowWithSilenceIsTheMelOfTheZerosBehind) {
  const std::vector<float> pcm = testing::test_signal(20000);
  MelStore store(kMels);
  fill(store, pcm);
  // whisper.log_mel_spectrogram(pcm, padding = 480000), cut to 3000 frames; the zeros reach past
  // its end, so the 30 s form of a short clip holds the same numbers.
  EXPECT_EQ(values(store.read_window_with_silence(0, 3000)), values(log_mel_padded(pcm, kMels)));
}

TEST(MelStore, CountsFramesBehindTheContentInTheMaximum) {
  // One loud click in the last, partial hop: only the frames that straddle the end are centred near
  // it.
  std::vector<float> pcm(1600 + 150);
  pcm.back() = 1.0F;
  MelStore store(kMels);
  fill(store, pcm);
  ASSERT_EQ(store.content_frames(), 10);
  const std::vector<double> mel = testing::naive_log_mel(
      [&] {
        std::vector<float> padded = pcm;
        padded.resize(4000);
        return padded;
      }(),
      kMels, 0, 13);
  EXPECT_NEAR(store.maximum(), *std::ranges::max_element(mel), 1e-5);
  const auto content_end = mel.begin() + 10 * kMels;
  EXPECT_GT(store.maximum(), *std::max_element(mel.begin(), content_end) + 1);
}

TEST(MelStore, TellsTheLoudestOfAPartOfTheContent) {
  constexpr std::size_t kSpillAfterTwoFrames = 2 * kFrameBytes;
  MelStore store(kMels, kSpillAfterTwoFrames);
  for (const float value : {-3.0F, 1.5F, -7.0F, 2.0F}) {
    std::vector<float> frame(kMels, -9.0F);
    frame[17] = value;
    store.append(frame);
  }
  store.finish(3);  // the fourth frame is behind the audio
  EXPECT_EQ(store.loudest(0, 1), -3.0F);
  EXPECT_EQ(store.loudest(0, 3), 1.5F);
  EXPECT_EQ(store.loudest(2, 100), -7.0F);
  EXPECT_EQ(store.loudest(3, 5), kSilence);
  EXPECT_EQ(store.maximum(), 2.0F);
}

TEST(MelStore, EmptyAudioIsSilence) {
  MelStore store(kMels);
  fill(store, {});
  EXPECT_EQ(store.content_frames(), 0);
  EXPECT_EQ(store.maximum(), kSilence);
  EXPECT_EQ(values(store.read_window(0, 2)), std::vector<float>(2 * kMels));
  EXPECT_EQ(values(store.read_window_with_silence(0, 2)), std::vector<float>(2 * kMels, -1.5F));
}

TEST(MelStore, SpilledEqualsInMemory) {
  const std::vector<float> pcm = testing::test_signal(50000);
  MelStore memory(kMels);
  fill(memory, pcm);
  // Nothing in memory; half a frame; a few whole frames and a part of one.
  for (const std::size_t limit : {std::size_t{0}, kFrameBytes / 2, 37 * kFrameBytes + 10}) {
    MelStore spilled(kMels, limit);
    fill(spilled, pcm);
    EXPECT_EQ(spilled.maximum(), memory.maximum());
    for (const std::int64_t first : {0, 36, 37, 38, 200, 311, 312, 400}) {
      for (const std::int64_t num : {0, 1, 2, 90, 3000}) {
        EXPECT_EQ(values(spilled.read_window(first, num)), values(memory.read_window(first, num)))
            << first << " + " << num << ", limit " << limit;
      }
    }
  }
}

TEST(MelStore, NamesTheFolderThatCannotBeWritten) {
  const TmpdirScope scope("/nonexistent-folder");
  MelStore store(kMels, 0);
  try {
    fill(store, testing::test_signal(2000));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    EXPECT_NE(std::string(error.what()).find("/nonexistent-folder"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("TMPDIR"), std::string::npos);
  }
}

TEST(MelStore, SaysWhyTheDiskTookNoMore) {
  // A limit on the size of files stands in for a full disk.
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small{20 * kFrameBytes + 7, old.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  MelStore store(kMels, 0);
  std::optional<Error> error;
  try {
    fill(store, testing::test_signal(20000));
  } catch (const Error& e) {
    error = e;
  }
  ::setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, old_handler);
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->code(), ErrorCode::kUnavailable);
  EXPECT_NE(std::string(error->what()).find(std::strerror(EFBIG)), std::string::npos);
}

}  // namespace
}  // namespace steno::features
