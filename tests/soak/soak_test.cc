// Thousands of short requests through one engine, and memory that does not grow with their number:
// several clients at a time, options of all kinds, files that are none, clients that go away.
//
// STENO_SOAK_REQUESTS says how many (`make soak`: 10,000); without it a few hundred.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "support/audio_wav.h"
#include "support/golden.h"
#include "support/resident_memory.h"
#include "transcribe/job.h"

namespace steno::transcribe {
namespace {

constexpr int kDefaultRequests = 300;
constexpr int kEnoughRequests = 10000;
constexpr int kNumClients = 4;
constexpr int kNumSamples = 100;    // of memory, over all requests
constexpr int kWarmUpSamples = 40;  // heaps fill up to the most that the mix needs at a time

// How much memory may grow behind the warm-up, during which pages still come and go. The first few
// hundred requests are part of it, so that a short run sees only leaks of 23 KiB a request: a
// second of audio, a window's keys.
double most_growth_kib(int num_requests) {
  return num_requests >= kEnoughRequests ? 1024 : 4096;
}

struct Sample {
  int num_requests = 0;
  std::int64_t resident_kib = 0;
};

int num_requests() {
  const char* wanted = std::getenv("STENO_SOAK_REQUESTS");
  return wanted == nullptr ? kDefaultRequests : std::stoi(wanted);
}

// Recordings of 0.6 to 4 s cut out of one of speech.
std::vector<std::string> make_clips() {
  const std::string speech = file::read(golden::folder() / "vad" / "librivox.wav");
  constexpr std::size_t kHeaderBytes = 44;
  constexpr std::size_t kBytesPerSecond = 2 * 16000;
  std::vector<std::string> clips;
  for (std::size_t tenths = 6; tenths <= 40; tenths += 2) {
    const std::size_t begin = kHeaderBytes + (tenths % 3) * kBytesPerSecond;
    clips.push_back(test::wav(
        {}, std::string_view(speech).substr(begin, tenths * kBytesPerSecond / 10 / 2 * 2)));
  }
  return clips;
}

Options options_of(int request) {
  Options options;
  options.temperatures = {0.0};
  options.no_speech_threshold.reset();
  options.beam_size = request % 8 == 3 ? 3 : 1;
  options.word_timestamps = request % 8 == 6;
  options.is_interactive = request % 2 == 0;
  if (request % 16 == 11) options.mode = Mode::kSequential;
  return options;
}

// One of sixteen is no audio, one is given up by its client; the others must succeed.
void serve(Transcriber& transcriber, const std::vector<std::string>& clips, int request) {
  const bool is_damaged = request % 16 == 5;
  const bool is_left = request % 16 == 9;
  const std::string& clip = clips[static_cast<std::size_t>(request) % clips.size()];
  const audio::Source source = is_damaged
                                   ? audio::Source::memory("no audio", "damaged")
                                   : audio::Source::view(std::as_bytes(std::span(clip)), "clip");
  try {
    transcriber.run(source, options_of(request), [&](const Progress&) {
      if (is_left) throw Error(ErrorCode::kUnavailable, "the client is gone");
    });
    EXPECT_FALSE(is_damaged);
  } catch (const Error& error) {
    EXPECT_TRUE((is_damaged && error.code() == ErrorCode::kInvalidAudio) ||
                (is_left && error.code() == ErrorCode::kUnavailable))
        << error.what();
  }
}

std::vector<Sample> serve_all(Transcriber& transcriber, int count) {
  const std::vector<std::string> clips = make_clips();
  const int interval = std::max(1, count / kNumSamples);
  std::vector<Sample> samples;
  std::mutex mutex;
  std::atomic<int> next = 0;
  std::vector<std::jthread> clients;
  for (int i = 0; i < kNumClients; ++i) {
    clients.emplace_back([&] {
      for (int request = next++; request < count; request = next++) {
        serve(transcriber, clips, request);
        if (request % interval != 0) continue;
        const std::lock_guard lock(mutex);
        samples.push_back({request, test::resident_kib()});
      }
    });
  }
  clients.clear();
  return samples;
}

// Theil and Sen's: the median of the slopes between all pairs, which no single sample can move.
double slope_kib(const std::vector<Sample>& samples) {
  std::vector<double> slopes;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (std::size_t j = i + 1; j < samples.size(); ++j) {
      if (samples[i].num_requests == samples[j].num_requests) continue;
      slopes.push_back(static_cast<double>(samples[j].resident_kib - samples[i].resident_kib) /
                       (samples[j].num_requests - samples[i].num_requests));
    }
  }
  const auto middle = slopes.begin() + std::ssize(slopes) / 2;
  std::ranges::nth_element(slopes, middle);
  return *middle;
}

TEST(Soak, SlopeOfALeakIsItsSize) {
  std::vector<Sample> leak;
  for (int i = 0; i < 20; ++i) leak.push_back({10 * i, 1000 + 20 * i + (i == 7 ? 500 : 0)});
  EXPECT_DOUBLE_EQ(slope_kib(leak), 2);
}

TEST(Soak, MemoryDoesNotGrowWithTheNumberOfRequests) {
  if (test::resident_kib() == 0) GTEST_SKIP() << "no /proc/self/status on this system";
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 512 * 1024);  // as the program has it: cli/main.cc
  mallopt(M_ARENA_MAX, 2);
#endif
  const std::unique_ptr<Transcriber> transcriber =
      Transcriber::load({.model = golden::Model("tiny-en").path / "hf", .num_threads = 2});
  const int count = num_requests();
  std::vector<Sample> samples = serve_all(*transcriber, count);
  ASSERT_GT(samples.size(), 2 * kWarmUpSamples) << "too few requests to see anything";
  for (std::size_t i = 0; i < samples.size(); i += 5) {
    fmt::print("{:6} requests {:6} KiB\n", samples[i].num_requests, samples[i].resident_kib);
  }
  samples.erase(samples.begin(), samples.begin() + kWarmUpSamples);
  const double slope = slope_kib(samples);
  const double growth_kib = slope * (samples.back().num_requests - samples.front().num_requests);
  fmt::print("{} requests: {} KiB after {}, {} KiB at the end, slope {:.1f} bytes a request\n",
             count, samples.front().resident_kib, samples.front().num_requests,
             samples.back().resident_kib, 1024 * slope);
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer's own memory hides the program's";
  EXPECT_LT(growth_kib, most_growth_kib(count));
}

}  // namespace
}  // namespace steno::transcribe
