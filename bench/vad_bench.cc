// How many seconds of audio the speech detector hears in a second of one core.
//   vad_bench                    noise, and the time by op
//   vad_bench PCM OUT            f32 samples of a file -> its probabilities as f32; prints the
//                                seconds that took, wall and CPU
// bench/vad_peer.py compares with onnxruntime.
#include <fmt/core.h>

#include <chrono>
#include <cstring>
#include <ctime>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/file.h"
#include "ops/make_ops.h"
#include "ops/profile.h"
#include "vad/speech_detector.h"

namespace {

using namespace steno;

struct Heard {
  std::vector<float> probabilities;
  double wall_s = 0;
  double cpu_s = 0;
};

Heard hear(ops::Ops& ops, const std::vector<float>& pcm) {
  const vad::SpeechDetector detector = vad::SpeechDetector::load(ops);
  const auto wall = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  vad::ProbabilityStream stream(detector, ops);
  Heard heard{stream.push(pcm)};
  for (const float p : stream.finish()) heard.probabilities.push_back(p);
  heard.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - wall).count();
  heard.cpu_s = static_cast<double>(std::clock() - cpu) / CLOCKS_PER_SEC;
  return heard;
}

std::vector<float> read_floats(const std::string& path) {
  const std::string bytes = file::read(path);
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
  return values;
}

void measure_noise() {
  constexpr int kAudioS = 300;
  std::vector<float> pcm(kAudioS * 16000);
  std::mt19937 generator(1);
  std::normal_distribution<float> normal(0.0F, 0.1F);
  for (float& sample : pcm) sample = normal(generator);
  const auto ops = ops::make_cpu_ops(1);
  for (int run = 0; run < 5; ++run) {
    const Heard heard = hear(*ops, pcm);
    fmt::print("{:.0f} x real time, by CPU time {:.0f} x\n", kAudioS / heard.wall_s,
               kAudioS / heard.cpu_s);
  }
  std::map<std::string, ops::OpTime> times;
  hear(*ops::profile(ops::make_cpu_ops(1), {.check_finite = false, .on_result = {}}, &times), pcm);
  for (const auto& [op, time] : times) {
    fmt::print("{:14} {:6} calls {:8.1f} ms\n", op, time.num_calls, time.seconds * 1000);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    measure_noise();
    return 0;
  }
  const auto ops = ops::make_cpu_ops(1);
  const Heard heard = hear(*ops, read_floats(argv[1]));
  fmt::print("{} {}\n", heard.wall_s, heard.cpu_s);
  std::FILE* out = std::fopen(argv[2], "wb");
  if (out == nullptr) return 1;
  std::fwrite(heard.probabilities.data(), sizeof(float), heard.probabilities.size(), out);
  return std::fclose(out) == 0 ? 0 : 1;
}
