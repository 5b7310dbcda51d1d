// A recording becomes a transcript: the table of contents of the program.
//
// Path: cli -> here -> recording (audio, features) -> language -> sequential (models) -> output.
// Threads: any number of recordings at a time; the engine has threads of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/source.h"
#include "engine/engine.h"
#include "models/model.h"
#include "ops/compute_type.h"
#include "ops/profile.h"
#include "transcribe/options.h"
#include "transcribe/transcript.h"
#include "vad/speech_detector.h"

namespace steno::transcribe {

struct Progress {
  double done_s = 0;   // of audio
  double total_s = 0;  // 0 while it is not known
};
using OnProgress = std::function<void(const Progress&)>;

struct Setup {
  std::filesystem::path model;  // folder
  ops::ComputeType compute_type = ops::ComputeType::kF32;
  int num_threads = 1;
  int num_lanes = 0;  // 0: one for each thread
  // Of each lane: windows in flight (whisper-base keeps up to 10 MB for each in int8), and beams or
  // samples. 8 windows take 6 % more time for 30 min, and 110 MB less.
  int max_windows = 12;
  int max_rows = 8;
  std::optional<DType> window_dtype = std::nullopt;  // of the windows' keys: models::CacheConfig
  bool profile = false;                              // measure each op
};

class Transcriber {
 public:
  // Throws Error(kNotFound or kInvalidModel).
  static std::unique_ptr<Transcriber> load(const Setup& setup);

  const models::ModelInfo& model() const { return model_->info(); }

  // Whether this model can honour them: all that would fail later for the options' sake fails here.
  // Throws Error(kInvalidValue or kUnsupported).
  void check(const Options& options) const;

  // Throws Error(kInvalidAudio or kNotFound) when nothing can be decoded, and what check() throws.
  // From any number of threads: all recordings share the batches.
  Transcript run(const audio::Source& source, const Options& options,
                 const OnProgress& on_progress = {});

  engine::Stats stats() const { return engine_->stats(); }

  // By op name, when Setup::profile is on. Requires that nothing runs.
  std::map<std::string, ops::OpTime> op_times() const;

 private:
  Transcriber() = default;

  Transcript run_one(const audio::Source& source, const Options& options,
                     const OnProgress& on_progress);
  Transcript run_channels(const audio::Source& source, const Options& options,
                          const OnProgress& on_progress);
  void run_sequential(const audio::Source& source, const Options& options,
                      const OnProgress& on_progress, Transcript& transcript);
  void run_parallel(const audio::Source& source, const Options& options,
                    const OnProgress& on_progress, Transcript& transcript);

  // In the order in which they depend on each other.
  std::vector<std::unique_ptr<std::map<std::string, ops::OpTime>>> op_times_;
  std::unique_ptr<ops::Ops> wide_ops_;  // all threads; the weights live on it
  std::vector<std::unique_ptr<ops::Ops>> lane_ops_;
  std::unique_ptr<models::Model> model_;
  std::optional<vad::SpeechDetector> detector_;
  std::unique_ptr<engine::Engine> engine_;
};

}  // namespace steno::transcribe
