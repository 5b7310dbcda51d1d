// A model's encoder and its decoder's steps, apart from each other, on noise: one command a line on
// standard input, one JSON object a line on standard output, so that a driver can let it take turns
// with a peer (bench/shapes.py).
//
//   shapes_bench MODEL COMPUTE_TYPE BATCH
//
// encode THREADS: a window of the model's full length, its keys and values for the decoder too.
// decode THREADS STEPS: STEPS tokens for each of BATCH windows, after the prompt's.
// Both say {"wall_s": .., "cpu_s": ..}, the CPU time of the whole process.
//
// peaks THREADS WIDTH: what a core can do at most (machine/peaks.h), and what it does in the
// largest product of a layer of that width, which is our linear layer whole.
#include <fmt/core.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "machine/peaks.h"
#include "models/registry.h"
#include "ops/make_ops.h"
#include "text/tokenizer.h"

namespace {

using namespace steno;

double seconds_of(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

class Stopwatch {
 public:
  void print() const {
    fmt::print("{{\"wall_s\": {:.6f}, \"cpu_s\": {:.6f}}}\n", seconds_of(CLOCK_MONOTONIC) - wall_s_,
               seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_s_);
  }

 private:
  double wall_s_ = seconds_of(CLOCK_MONOTONIC);
  double cpu_s_ = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
};

// Values in [-1, 1], as a normalised log-mel has them.
Tensor noise(const Shape& shape) {
  Tensor t = Tensor::make(shape);
  std::uint32_t state = 1;
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    state = state * 1664525U + 1013904223U;
    t.data<float>()[i] = static_cast<float>(state >> 8) / 8388608.0F - 1.0F;
  }
  return t;
}

class Bench {
 public:
  Bench(const std::string& folder, ops::ComputeType type, int batch) : batch_(batch) {
    model_ = models::load_model(folder, type, with_threads(1));
    model_->reserve(
        with_threads(1),
        {.max_windows = batch, .max_rows = batch, .window_dtype = ops::auto_kv_dtype(type)});
    end_token_ = text::Tokenizer::load(folder).find_special("<|endoftext|>").value();
    mel_ = noise({1, model_->info().window_frames, model_->info().num_mel_bins});
  }

  void encode(int num_threads) {
    if (std::ssize(windows_) == batch_) windows_.pop_front();
    const Stopwatch stopwatch;
    windows_.push_back(model_->encode(with_threads(num_threads), mel_).front());
    stopwatch.print();
  }

  void decode(int num_threads, int num_steps) {
    ops::Ops& ops = with_threads(num_threads);
    while (std::ssize(windows_) < batch_) {
      windows_.push_back(model_->encode(ops, mel_).front());
    }
    std::vector<std::unique_ptr<models::Sequence>> sequences;
    std::vector<models::Sequence*> running;
    for (const auto& window : windows_) {
      sequences.push_back(model_->start(window, endless_text(num_steps + 1)));
      running.push_back(sequences.back().get());
    }
    model_->step(ops, running);  // the prompt's rows, and the first token
    const Stopwatch stopwatch;
    for (int i = 0; i < num_steps; ++i) model_->step(ops, running);
    stopwatch.print();
  }

  void peaks(int num_threads, int width) {
    const machine::Peaks peaks = machine::measure_peaks(num_threads);
    fmt::print("{{\"int8_gops\": {:.2f}, \"linear_gops\": {:.2f}, \"read_gbytes\": {:.3f}}}\n",
               peaks.int8_gops.value_or(0), linear_gops(with_threads(num_threads), width),
               peaks.read_gbytes);
  }

 private:
  // Best of a few, for a core.
  double linear_gops(ops::Ops& ops, int width) const {
    constexpr int kNumTrials = 9;
    const std::int64_t num_rows = mel_.dim(1) / model_->info().frames_per_position;
    const ops::Weight weight =
        ops.pack(noise({4 * width, width}), Tensor::zeros({4 * width}), model_->compute_type());
    const Tensor x = noise({num_rows, width});
    double least_s = 1e9;
    for (int i = 0; i < kNumTrials; ++i) {
      const double begin_s = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
      ops.linear(x, weight);
      least_s = std::min(least_s, seconds_of(CLOCK_PROCESS_CPUTIME_ID) - begin_s);
    }
    return 8e-9 * static_cast<double>(num_rows * width) * width / least_s;
  }

  models::DecodeOptions endless_text(int num_tokens) const {
    models::DecodeOptions options;
    options.language = "en";
    options.beam_size = 1;
    options.without_timestamps = true;
    options.suppress_tokens = {-1, end_token_};
    options.max_new_tokens = num_tokens;
    return options;
  }

  ops::Ops& with_threads(int num_threads) {
    std::unique_ptr<ops::Ops>& ops = ops_[num_threads];
    if (ops == nullptr) ops = ops::make_cpu_ops(num_threads);
    return *ops;
  }

  int batch_;
  std::map<int, std::unique_ptr<ops::Ops>> ops_;
  std::unique_ptr<models::Model> model_;
  int end_token_ = 0;
  Tensor mel_;  // [1, F, M]
  std::deque<std::shared_ptr<const models::Window>> windows_;
};

void run(Bench& bench, const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  int num_threads = 0;
  int number = 0;
  words >> verb >> num_threads >> number;
  if (num_threads > 0 && verb == "encode") return bench.encode(num_threads);
  if (num_threads > 0 && number > 0 && verb == "decode") return bench.decode(num_threads, number);
  if (num_threads > 0 && number > 0 && verb == "peaks") return bench.peaks(num_threads, number);
  throw Error(ErrorCode::kUsage,
              "'{}': expected encode THREADS, decode THREADS STEPS or peaks THREADS WIDTH", line);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: shapes_bench MODEL COMPUTE_TYPE BATCH\n");
    return 2;
  }
  try {
    const auto type = ops::find_compute_type(argv[2]);
    if (!type) throw Error(ErrorCode::kUsage, "'{}': expected f32, bf16 or int8", argv[2]);
    Bench bench(argv[1], *type, std::stoi(argv[3]));
    fmt::print("{{\"ready\": true}}\n");
    std::fflush(stdout);
    for (std::string line; std::getline(std::cin, line);) {
      run(bench, line);
      std::fflush(stdout);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "shapes_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}
