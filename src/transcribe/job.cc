#include "transcribe/job.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/utf8.h"
#include "models/registry.h"
#include "ops/make_ops.h"
#include "transcribe/recording.h"
#include "transcribe/sequential.h"

namespace steno::transcribe {
namespace {

// OpenAI's API refuses less; a model finds words in anything.
constexpr double kMinDurationS = 0.1;

models::LanguageScore detect_language(const models::Model& model, engine::Job& job,
                                      const features::MelStore& mel) {
  const Tensor window = mel.read_window_with_silence(0, model.info().window_frames);
  return job.detect_language_now(job.encode_now(window)).front();
}

std::string join_texts(const std::vector<Segment>& segments) {
  std::string text;
  for (const Segment& segment : segments) text += segment.text;
  return std::string(utf8::strip(text));
}

Transcript describe(const Recording& recording, const models::Model& model,
                    const Options& options) {
  Transcript t;
  t.source = recording.name;
  t.task = options.translate ? "translate" : "transcribe";
  t.duration_s = recording.report.duration_s();
  t.covered_s = recording.report.covered_s;
  t.decode_errors = recording.report.decode_errors;
  t.warnings = recording.report.warnings;
  t.model = model.info().name;
  t.compute_type = ops::name(model.compute_type());
  t.version = STENO_VERSION;
  return t;
}

// Such a clip is no error, as one call may have many files, but its text is missing without a word.
void warn_of_clips_past_the_end(const Options& options, Transcript& transcript) {
  const std::vector<double>& times_s = options.clip_timestamps_s;
  for (std::size_t i = 0; i < times_s.size(); i += 2) {
    if (times_s[i] < transcript.duration_s) continue;
    transcript.warnings.push_back(
        fmt::format("a clip begins at {} s, but the audio ends at {:.3f} s", times_s[i],
                    transcript.duration_s));
    return;
  }
}

// Times behind the audio's end (the model may round up) come back inside.
void keep_inside(std::vector<Segment>& segments, double duration_s) {
  for (Segment& segment : segments) {
    segment.start_s = std::min(segment.start_s, duration_s);
    segment.end_s = std::min(segment.end_s, duration_s);
  }
}

}  // namespace

std::unique_ptr<Transcriber> Transcriber::load(const Setup& setup) {
  std::unique_ptr<Transcriber> t(new Transcriber());
  const auto make_ops = [&](int num_threads) {
    std::unique_ptr<ops::Ops> ops = ops::make_cpu_ops(num_threads);
    if (!setup.profile) return ops;
    auto& times = t->op_times_.emplace_back(std::make_unique<std::map<std::string, ops::OpTime>>());
    return ops::profile(std::move(ops), {}, times.get());
  };
  const int num_lanes = setup.num_lanes > 0 ? setup.num_lanes : setup.num_threads;
  t->wide_ops_ = make_ops(setup.num_threads);
  for (int i = 0; i < num_lanes; ++i) {
    t->lane_ops_.push_back(make_ops(std::max(1, setup.num_threads / num_lanes)));
  }
  t->model_ = models::load_model(setup.model, setup.compute_type, *t->wide_ops_);
  t->engine_ = std::make_unique<engine::Engine>(
      *t->model_, t->lane_ops_, t->wide_ops_.get(),
      engine::SchedulerLimits{.max_windows = setup.max_windows, .max_rows = setup.max_rows},
      setup.window_dtype);
  return t;
}

std::map<std::string, ops::OpTime> Transcriber::op_times() const {
  std::map<std::string, ops::OpTime> sum;
  for (const auto& times : op_times_) {
    for (const auto& [op, time] : *times) {
      sum[op].seconds += time.seconds;
      sum[op].num_calls += time.num_calls;
    }
  }
  return sum;
}

void Transcriber::check(const Options& options) const {
  transcribe::check(options);
  models::DecodeOptions decode = decode_options(options, 0);
  decode.prefix_tokens = model_->encode_text(options.prefix);
  model_->check(decode);
}

Transcript Transcriber::run(const audio::Source& source, const Options& requested,
                            const OnProgress& on_progress) {
  check(requested);
  const Recording recording = read_recording(source, model_->info().num_mel_bins);
  Options options = requested;
  Transcript transcript = describe(recording, *model_, options);
  if (transcript.duration_s < kMinDurationS) {
    transcript.warnings.push_back(
        fmt::format("{:.3f} s of audio is too short to hold a word; the minimum is {} s",
                    transcript.duration_s, kMinDurationS));
    transcript.language = options.language;
    return transcript;
  }

  warn_of_clips_past_the_end(options, transcript);
  engine::Job job = engine_->open_job(engine::Priority::kBatch);
  if (options.language.empty()) {
    const models::LanguageScore best = detect_language(*model_, job, recording.mel);
    options.language = best.code;
    transcript.language_probability = best.probability;
  }
  transcript.language = options.language;
  transcript.segments =
      transcribe_sequential(*model_, job, recording.mel, options, [&](double done_s) {
        if (on_progress) {
          on_progress({std::min(done_s, transcript.duration_s), transcript.duration_s});
        }
      });
  keep_inside(transcript.segments, transcript.duration_s);
  transcript.text = join_texts(transcript.segments);
  return transcript;
}

}  // namespace steno::transcribe
