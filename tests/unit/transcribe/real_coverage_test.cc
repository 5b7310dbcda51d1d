// Real speech and real weights: no stretch of speech is left without text.
//
// Needs whisper-base under STENO_TEST_MODELS, and the recordings of Debian's pocketsphinx-testdata
// and asterisk-core-sounds-en-wav; skipped where one is missing.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <vector>

#include "audio/decoder.h"
#include "ops/make_ops.h"
#include "support/audio_wav.h"
#include "transcribe/job.h"
#include "vad/spans.h"
#include "vad/speech_detector.h"

namespace steno::transcribe {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSpeechFolders[] = {"/usr/share/pocketsphinx/test/data/librivox",
                                          "/usr/share/asterisk/sounds/en_US_f_Allison"};
constexpr int kRateHz = audio::kSampleRate;
constexpr int kLengthS = 480;

fs::path model_folder() {
  const char* models = std::getenv("STENO_TEST_MODELS");
  return models == nullptr ? fs::path() : fs::path(models) / "whisper-base";
}

bool is_everything_here() {
  return fs::exists(model_folder() / "model.bin") &&
         std::ranges::all_of(kSpeechFolders, [](const char* folder) { return fs::exists(folder); });
}

std::vector<fs::path> clips() {
  std::vector<fs::path> paths;
  for (const char* folder : kSpeechFolders) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      constexpr std::uintmax_t kMinBytes = 2 * 8000 * 4;  // 4 s at 8 kHz
      if (entry.path().extension() == ".wav" && entry.file_size() >= kMinBytes) {
        paths.push_back(entry.path());
      }
    }
  }
  std::ranges::sort(paths);
  std::ranges::shuffle(paths, std::mt19937(1));
  return paths;
}

// Clips one after the other, with pauses from none to 2 s between them.
std::vector<float> long_recording() {
  std::vector<float> pcm;
  std::size_t num_clips = 0;
  for (const fs::path& path : clips()) {
    const std::vector<float> clip = audio::decode_all(audio::Source::file(path));
    pcm.insert(pcm.end(), clip.begin(), clip.end());
    pcm.resize(pcm.size() + num_clips++ % 5 * kRateHz / 2);
    if (pcm.size() > std::size_t{kLengthS} * kRateHz) break;
  }
  return pcm;
}

void add_noise(double amplitude, std::vector<float>& pcm) {
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, amplitude);
  for (float& sample : pcm) sample += static_cast<float>(noise(random));
}

// Runs of speech: breaths do not part them.
std::vector<vad::SpeechSpan> speech_of(const std::vector<float>& pcm) {
  const std::unique_ptr<ops::Ops> ops = ops::make_cpu_ops(1);
  const vad::SpeechDetector detector = vad::SpeechDetector::load(*ops);
  vad::ProbabilityStream stream(detector, *ops);
  std::vector<float> probabilities = stream.push(pcm);
  const std::vector<float> rest = stream.finish();
  probabilities.insert(probabilities.end(), rest.begin(), rest.end());
  return vad::find_speech(probabilities, std::ssize(pcm), {.min_silence_ms = 500});
}

struct Stretch {
  double begin_s = 0;
  double end_s = 0;
};

// What of the speech no segment covers, if it lasts.
std::vector<Stretch> uncovered(const std::vector<vad::SpeechSpan>& speech,
                               std::vector<Segment> segments, double min_s) {
  std::ranges::sort(segments, {}, &Segment::start_s);
  std::vector<Stretch> found;
  for (const vad::SpeechSpan& span : speech) {
    double covered_to_s = static_cast<double>(span.begin_samples) / kRateHz;
    const double end_s = static_cast<double>(span.end_samples) / kRateHz;
    const auto note = [&](double until_s) {
      if (until_s - covered_to_s >= min_s) found.push_back({covered_to_s, until_s});
    };
    for (const Segment& segment : segments) {
      note(std::min(segment.start_s, end_s));
      covered_to_s = std::max(covered_to_s, segment.end_s);
    }
    note(end_s);
  }
  return found;
}

Transcript transcribe(const std::vector<float>& pcm) {
  Setup setup;
  setup.model = model_folder();
  setup.compute_type = ops::auto_compute_type();
  setup.num_threads = 2;
  Options options;
  options.beam_size = 1;
  return Transcriber::load(setup)->run(
      audio::Source::memory(test::wav({}, test::raw(test::to_s16(pcm))), "long"), options);
}

class RealCoverage : public testing::TestWithParam<double> {};

TEST_P(RealCoverage, NoThreeSecondsOfSpeechAreWithoutText) {
  if (!is_everything_here()) GTEST_SKIP() << "needs whisper-base and recordings";
  std::vector<float> pcm = long_recording();
  if (GetParam() > 0) add_noise(GetParam(), pcm);
  const Transcript transcript = transcribe(pcm);
  const std::vector<vad::SpeechSpan> speech = speech_of(pcm);
  ASSERT_GT(speech.size(), 20U);
  ASSERT_GT(transcript.segments.size(), 20U);
  for (const Stretch& stretch : uncovered(speech, transcript.segments, 3.0)) {
    ADD_FAILURE() << stretch.begin_s << " to " << stretch.end_s << " s";
  }
}

INSTANTIATE_TEST_SUITE_P(Noise, RealCoverage, testing::Values(0.0, 0.01));

}  // namespace
}  // namespace steno::transcribe
