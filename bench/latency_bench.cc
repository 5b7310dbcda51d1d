// How long a short recording takes while a long one is being read, against alone.
//
//   latency_bench MODEL LONG SHORT [COMPUTE_TYPE] [THREADS]
// Five times each, in turns; the long one is begun anew when it ends.
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "audio/source.h"
#include "base/error.h"
#include "ops/make_ops.h"
#include "transcribe/job.h"

namespace {

using namespace steno;

transcribe::Options greedy(bool is_interactive) {
  transcribe::Options options;
  options.language = "en";
  options.beam_size = 1;
  options.is_interactive = is_interactive;
  return options;
}

double run_short(transcribe::Transcriber& transcriber, const std::string& file) {
  const auto begin = std::chrono::steady_clock::now();
  transcriber.run(audio::Source::file(file), greedy(true));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Keeps the engine busy while it lives.
class LongReading {
 public:
  LongReading(transcribe::Transcriber& transcriber, const std::string& file)
      : thread_([this, &transcriber, file] {
          try {
            while (!is_stopping_) {
              transcriber.run(audio::Source::file(file), greedy(false),
                              [this](const transcribe::Progress&) {
                                if (is_stopping_) throw Error(ErrorCode::kUnavailable, "stopped");
                              });
            }
          } catch (const Error&) {
          }
        }) {}
  ~LongReading() {
    is_stopping_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> is_stopping_{false};
  std::thread thread_;
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "usage: latency_bench MODEL LONG SHORT [COMPUTE_TYPE] [THREADS]\n");
    return 2;
  }
  const auto type = argc > 4 ? ops::find_compute_type(argv[4]) : ops::auto_compute_type();
  const int num_threads = argc > 5 ? std::stoi(argv[5]) : 2;
  const auto transcriber = transcribe::Transcriber::load(
      {.model = argv[1], .compute_type = type.value(), .num_threads = num_threads});
  run_short(*transcriber, argv[3]);
  std::vector<double> alone;
  std::vector<double> beside;
  for (int i = 0; i < 5; ++i) {
    alone.push_back(run_short(*transcriber, argv[3]));
    const LongReading reading(*transcriber, argv[2]);
    std::this_thread::sleep_for(std::chrono::milliseconds(3000 + 170 * i));  // any point of a plan
    beside.push_back(run_short(*transcriber, argv[3]));
  }
  fmt::print("alone {:.3f} s, beside a long recording {:.3f} s ({:.3f} to {:.3f}): {:.2f}x\n",
             median(alone), median(beside), *std::ranges::min_element(beside),
             *std::ranges::max_element(beside), median(beside) / median(alone));
  return 0;
}
