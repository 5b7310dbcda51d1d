// A recording becomes a transcript: the table of contents of the program.
//
// Path: cli -> here -> recording (audio, features) -> language -> sequential (models) -> output.
// Threads: a Transcriber runs one recording at a time; it has a thread pool of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "audio/source.h"
#include "models/model.h"
#include "ops/compute_type.h"
#include "ops/profile.h"
#include "transcribe/options.h"
#include "transcribe/transcript.h"

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
  bool profile = false;  // measure each op
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
  Transcript run(const audio::Source& source, const Options& options,
                 const OnProgress& on_progress = {});

  // By op name, when Setup::profile is on.
  const std::map<std::string, ops::OpTime>& op_times() const { return *op_times_; }

 private:
  Transcriber() = default;

  std::unique_ptr<std::map<std::string, ops::OpTime>> op_times_;
  std::unique_ptr<ops::Ops> ops_;  // before the model: the weights live on it
  std::unique_ptr<models::Model> model_;
};

}  // namespace steno::transcribe
