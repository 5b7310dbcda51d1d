// How many seconds of audio the speech detector hears in a second of one core: vad_bench [SECONDS]
//
// The audio is noise: the time does not depend on what is heard. bench/vad_peer.py compares with
// onnxruntime.
#include <fmt/core.h>

#include <cstdlib>
#include <ctime>
#include <map>
#include <random>
#include <vector>

#include "ops/make_ops.h"
#include "ops/profile.h"
#include "vad/speech_detector.h"

namespace {

using namespace steno;

double cpu_seconds_of(ops::Ops& ops, const std::vector<float>& pcm) {
  const vad::SpeechDetector detector = vad::SpeechDetector::load(ops);
  const std::clock_t start = std::clock();
  vad::ProbabilityStream stream(detector, ops);
  stream.push(pcm);
  stream.finish();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

int main(int argc, char** argv) {
  const int audio_s = argc > 1 ? std::atoi(argv[1]) : 300;
  std::vector<float> pcm(static_cast<std::size_t>(audio_s) * 16000);
  std::mt19937 generator(1);
  std::normal_distribution<float> normal(0.0F, 0.1F);
  for (float& sample : pcm) sample = normal(generator);

  const auto ops = ops::make_cpu_ops(1);
  for (int run = 0; run < 5; ++run) {
    const double s = cpu_seconds_of(*ops, pcm);
    fmt::print("{:.3f} s of CPU, {:.0f} x real time\n", s, audio_s / s);
  }
  std::map<std::string, ops::OpTime> times;
  const auto profiled =
      ops::profile(ops::make_cpu_ops(1), {.check_finite = false, .on_result = {}}, &times);
  cpu_seconds_of(*profiled, pcm);
  for (const auto& [op, time] : times) {
    fmt::print("{:10} {:6} calls {:8.1f} ms\n", op, time.num_calls, time.seconds * 1000);
  }
}
