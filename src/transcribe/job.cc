#include "transcribe/job.h"

#include <fmt/core.h>

#include <algorithm>

#include "audio/spool.h"
#include "base/error.h"
#include "base/utf8.h"
#include "models/registry.h"
#include "ops/make_ops.h"
#include "transcribe/channels.h"
#include "transcribe/language_parts.h"
#include "transcribe/parallel.h"
#include "transcribe/recording.h"
#include "transcribe/sequential.h"
#include "transcribe/window_reader.h"
#include "transcribe/word_times.h"

namespace steno::transcribe {
namespace {

// OpenAI's API refuses less; a model finds words in anything.
constexpr double kMinDurationS = 0.1;

models::LanguageScore detect_language(const models::Model& model, engine::Job& job,
                                      const features::MelStore& mel,
                                      const std::vector<std::string>& allowed) {
  const Tensor window = mel.read_window_with_silence(0, model.info().window_frames);
  return best_language(job.detect_language_now(job.encode_now(window)), allowed);
}

std::string join_texts(const std::vector<Segment>& segments) {
  std::string text;
  for (const Segment& segment : segments) text += segment.text;
  return std::string(utf8::strip(text));
}

void describe(const audio::AudioInfo& info, const audio::DecodeReport& report, Transcript& t) {
  t.stream = {info.stream_index, info.codec, info.language};
  for (const audio::SampleRange& range : report.missing) {
    t.missing.push_back({static_cast<double>(range.begin_samples) / audio::kSampleRate,
                         static_cast<double>(range.end_samples) / audio::kSampleRate,
                         "decode_error"});
  }
  t.duration_s = report.duration_s();
  t.covered_s = report.covered_s;
  t.decode_errors = report.decode_errors;
  t.warnings = report.warnings;
}

engine::Priority priority_of(const Options& options) {
  return options.is_interactive ? engine::Priority::kInteractive : engine::Priority::kBatch;
}

// Whether there is enough to look for words in; else says so.
bool is_long_enough(Transcript& t) {
  if (t.duration_s >= kMinDurationS) return true;
  t.warnings.push_back(
      fmt::format("{:.3f} s of audio is too short to hold a word; the minimum is {} s",
                  t.duration_s, kMinDurationS));
  return false;
}

std::vector<Clip> clips_of(const std::vector<double>& times_s) {
  const double kLongestS = 1e9;  // 30 years: its samples fit into an integer
  const auto samples = [kLongestS](double s) {
    return static_cast<std::int64_t>(std::min(s, kLongestS) * audio::kSampleRate);
  };
  std::vector<Clip> clips;
  for (std::size_t i = 0; i < times_s.size(); i += 2) {
    const double end_s = i + 1 < times_s.size() ? times_s[i + 1] : kLongestS;
    clips.push_back({samples(times_s[i]), samples(end_s)});
  }
  return clips;
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

WindowRules window_rules(const Options& options) {
  WindowRules rules;
  if (!options.without_timestamps && !options.language.empty()) {
    rules.max_samples = static_cast<std::int64_t>(options.window_length_s * audio::kSampleRate);
  }
  return rules;
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
  t->detector_ = vad::SpeechDetector::load(*t->wide_ops_);
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
  if (options.word_timestamps && !model().can_align) {
    throw Error(ErrorCode::kUnsupported,
                "{} cannot tell when each word was spoken: leave out --word-timestamps",
                model().name);
  }
  models::DecodeOptions decode = decode_options(options, 0);
  decode.prefix_tokens = model_->encode_text(options.prefix);
  model_->check(decode);
  for (const std::string& language : options.allowed_languages) {
    decode.language = language;
    model_->check(decode);
  }
}

Transcript Transcriber::run(const audio::Source& source, const Options& options,
                            const OnProgress& on_progress) {
  check(options);
  return options.audio.split ? run_channels(source, options, on_progress)
                             : run_one(source, options, on_progress);
}

Transcript Transcriber::run_one(const audio::Source& source, const Options& options,
                                const OnProgress& on_progress) {
  Transcript transcript;
  transcript.source = source.name();
  transcript.task = options.translate ? "translate" : "transcribe";
  transcript.language = options.language;
  if (transcript.language.empty() && model_->info().languages.size() == 1) {
    transcript.language = model_->info().languages.front();
  }
  transcript.model = model_->info().name;
  transcript.compute_type = ops::name(model_->compute_type());
  transcript.version = STENO_VERSION;
  options.mode == Mode::kSequential ? run_sequential(source, options, on_progress, transcript)
                                    : run_parallel(source, options, on_progress, transcript);
  warn_of_clips_past_the_end(options, transcript);
  keep_inside(transcript.segments, transcript.duration_s);
  if (options.word_timestamps) order_word_times(transcript.segments, transcript.duration_s);
  transcript.text = join_texts(transcript.segments);
  return transcript;
}

// Each channel is a recording of its own that shares nothing but the clock.
Transcript Transcriber::run_channels(const audio::Source& source, const Options& requested,
                                     const OnProgress& on_progress) {
  const audio::Source again = audio::make_rereadable(source, requested.audio.max_spool_bytes);
  const int num_channels = open_decoder(again, requested.audio).num_outputs();
  Options options = requested;
  options.audio.split = false;
  std::vector<Transcript> sides;
  for (int i = 0; i < num_channels; ++i) {
    options.audio.channel = i;
    sides.push_back(run_one(again, options, [&](const Progress& now) {
      if (on_progress) on_progress({(i * now.total_s + now.done_s) / num_channels, now.total_s});
    }));
  }
  return merge_channels(std::move(sides));
}

void Transcriber::run_sequential(const audio::Source& source, const Options& requested,
                                 const OnProgress& on_progress, Transcript& transcript) {
  const Recording recording = read_recording(source, model_->info().num_mel_bins, requested.audio);
  describe(recording.info, recording.report, transcript);
  if (!is_long_enough(transcript)) return;
  Options options = requested;
  engine::Job job = engine_->open_job(priority_of(options));
  if (options.language.empty()) {
    const models::LanguageScore best =
        detect_language(*model_, job, recording.mel, options.allowed_languages);
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
}

void Transcriber::run_parallel(const audio::Source& source, const Options& options,
                               const OnProgress& on_progress, Transcript& transcript) {
  const std::unique_ptr<ops::Ops> ops = ops::make_cpu_ops(1);
  WindowReader reader(source, options.audio, *detector_, *ops, clips_of(options.clip_timestamps_s),
                      window_rules(options));
  engine::Job job = engine_->open_job(priority_of(options));
  ParallelResult result = transcribe_parallel(
      *model_, job, [&] { return reader.next(); }, options, engine_->num_window_slots(),
      [&](double done_s) {
        if (on_progress) on_progress({done_s, reader.claimed_duration_s()});
      });
  describe(reader.info(), reader.report(), transcript);
  transcript.speech_s = reader.speech_s();
  if (!is_long_enough(transcript)) return;
  if (!result.language.empty()) transcript.language = result.language;
  transcript.language_probability = result.language_probability;
  transcript.segments = std::move(result.segments);
  transcript.missing.insert(transcript.missing.end(), result.missing.begin(), result.missing.end());
  std::ranges::stable_sort(transcript.missing, {}, &Interval::begin_s);
}

}  // namespace steno::transcribe
