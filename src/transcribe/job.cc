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

models::LanguageScore detect_language(models::Model& model, ops::Ops& ops,
                                      const features::MelStore& mel) {
  const Tensor window = mel.read_window_with_silence(0, model.info().window_frames);
  const Tensor batch = window.reshaped({1, window.dim(0), window.dim(1)});
  return model.detect_language(ops, model.encode(ops, batch).front()).front();
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
  t->op_times_ = std::make_unique<std::map<std::string, ops::OpTime>>();
  t->ops_ = ops::make_cpu_ops(setup.num_threads);
  if (setup.profile) t->ops_ = ops::profile(std::move(t->ops_), {}, t->op_times_.get());
  t->model_ = models::load_model(setup.model, setup.compute_type, *t->ops_);
  return t;
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
  model_->reserve(*ops_, 1, std::max(options.beam_size, options.best_of));
  if (options.language.empty()) {
    const models::LanguageScore best = detect_language(*model_, *ops_, recording.mel);
    options.language = best.code;
    transcript.language_probability = best.probability;
  }
  transcript.language = options.language;
  transcript.segments =
      transcribe_sequential(*model_, *ops_, recording.mel, options, [&](double done_s) {
        if (on_progress) {
          on_progress({std::min(done_s, transcript.duration_s), transcript.duration_s});
        }
      });
  keep_inside(transcript.segments, transcript.duration_s);
  transcript.text = join_texts(transcript.segments);
  return transcript;
}

}  // namespace steno::transcribe
