// How many seconds of audio a second the speech detector hears, one thread: vad_bench [SECONDS]
//
// The audio is noise: the time does not depend on what is heard. bench/vad_peer.py compares with
// onnxruntime.
#include <fmt/core.h>

#include <chrono>
#include <cstdlib>
#include <random>
#include <vector>

#include "ops/make_ops.h"
#include "ops/profile.h"
#include "vad/speech_detector.h"

namespace {

using namespace steno;

double seconds_of(ops::Ops& ops, const std::vector<float>& pcm) {
  const vad::SpeechDetector detector = vad::SpeechDetector::load(ops);
  const auto start = std::chrono::steady_clock::now();
  vad::ProbabilityStream stream(detector, ops);
  stream.push(pcm);
  stream.finish();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
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
    const double s = seconds_of(*ops, pcm);
    fmt::print("{:.3f} s, {:.0f} x real time\n", s, audio_s / s);
  }
  std::map<std::string, ops::OpTime> times;
  const auto profiled =
      ops::profile(ops::make_cpu_ops(1), {.check_finite = false, .on_result = {}}, &times);
  seconds_of(*profiled, pcm);
  for (const auto& [op, time] : times) {
    fmt::print("{:10} {:6} calls {:8.1f} ms\n", op, time.num_calls, time.seconds * 1000);
  }
}
