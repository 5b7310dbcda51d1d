#include "transcribe/parallel.h"

#include <algorithm>
#include <exception>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <thread>
#include <utility>

#include "base/bounded_queue.h"
#include "base/utf8.h"
#include "features/log_mel.h"
#include "transcribe/guards.h"
#include "transcribe/segments.h"

namespace steno::transcribe {
namespace {

// Speech behind the last timestamp that is worth another look: timestamps are up to some tenths of
// a second early.
constexpr double kMinUnreadS = 0.8;
// After dropped text there is something to read for sure.
constexpr double kMinUnreadAfterTextS = 0.2;
// Timestamps may lie a little before the end of the word.
constexpr std::int64_t kTimestampSlackSamples = audio::kSampleRate / 5;
// A window that is read again and again, each time a little of it, is given up after so many times.
constexpr int kMaxRereads = 8;
// Below this the model has not understood which language it is; the last certain one is taken.
constexpr double kCertainLanguage = 0.5;

constexpr std::int64_t kHop = features::kHopSamples;

double to_s(std::int64_t samples) {
  return static_cast<double>(samples) / audio::kSampleRate;
}

std::int64_t to_samples(double s) {
  return static_cast<std::int64_t>(s * audio::kSampleRate);
}

// A window with its features: what the reader's thread hands over.
struct Prepared {
  AudioWindow audio;
  Tensor mel;
};

// The reader on its own thread, a few windows ahead.
class ReadAhead {
 public:
  ReadAhead(WindowReader& reader, int num_mels, std::size_t num_ahead)
      : queue_(num_ahead), thread_([this, &reader, num_mels] { run(reader, num_mels); }) {}
  ~ReadAhead() {
    queue_.close();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Waits. Nothing at the end.
  std::optional<Prepared> next() { return queue_.pop(); }
  // Nothing when none is ready.
  std::optional<Prepared> try_next() { return queue_.try_pop(); }

  // Throws what the reader threw.
  bool has_ended() const {
    if (!queue_.is_drained()) return false;
    if (error_) std::rethrow_exception(error_);
    return true;
  }

 private:
  void run(WindowReader& reader, int num_mels) {
    try {
      while (std::optional<AudioWindow> window = reader.next()) {
        Tensor mel = features::log_mel_padded(window->pcm, num_mels);
        if (!queue_.push({std::move(*window), std::move(mel)})) return;
      }
    } catch (...) {
      error_ = std::current_exception();
    }
    queue_.close();
  }

  BoundedQueue<Prepared> queue_;
  std::exception_ptr error_;  // written before close(), read after pop() gave nothing
  std::thread thread_;
};

// The part of a window from `begin` on.
AudioWindow tail_of(const AudioWindow& whole, std::int64_t begin) {
  AudioWindow tail;
  tail.window.begin_samples = begin;
  tail.window.end_samples = whole.window.end_samples;
  for (vad::SpeechSpan span : whole.window.speech) {
    span.begin_samples = std::max(span.begin_samples, begin);
    if (span.begin_samples < span.end_samples) tail.window.speech.push_back(span);
  }
  tail.pcm.assign(
      whole.pcm.begin() + static_cast<std::ptrdiff_t>(begin - whole.window.begin_samples),
      whole.pcm.end());
  return tail;
}

// A window on its way: encode -> language -> decode, hotter while it looks wrong -> segments.
struct Reading {
  AudioWindow audio;
  int num_rereads = 0;  // of windows that this one is the tail of
  std::vector<int> prompt;
  std::string language;   // empty until known
  std::size_t index = 0;  // among the first readings, in order of time
  engine::WindowRef encoded;
  std::vector<models::WindowText> attempts;

  std::int64_t begin() const { return audio.window.begin_samples; }
  std::int64_t end() const { return audio.window.end_samples; }
};

class ParallelLoop {
 public:
  ParallelLoop(const models::Model& model, engine::Job& job, const Options& options,
               const OnDone& on_done)
      : model_(model), job_(job), options_(options), on_done_(on_done) {
    const std::string_view prompt = utf8::strip(options.initial_prompt);
    if (!prompt.empty()) prompt_ = model.encode_text(" " + std::string(prompt));
    const std::string_view prefix = utf8::strip(options.prefix);
    if (!prefix.empty()) prefix_ = model.encode_text(" " + std::string(prefix));
  }

  ParallelResult run(WindowReader& reader, int max_in_flight) {
    ReadAhead ahead(reader, model_.info().num_mel_bins, 2);
    bool has_more = true;
    while (true) {
      while (has_more && num_in_flight_ < max_in_flight) {
        // While there are results to handle, a window that is not ready yet is not waited for.
        std::optional<Prepared> prepared = job_.num_pending() > 0 ? ahead.try_next() : ahead.next();
        if (!prepared) {
          has_more = !ahead.has_ended();
          break;
        }
        begin_first(std::move(*prepared));
      }
      if (job_.num_pending() > 0) {
        handle(job_.wait());
      } else if (!has_more) {
        break;
      }
    }
    return finish();
  }

 private:
  void begin_first(Prepared prepared) {
    auto reading = std::make_unique<Reading>();
    reading->audio = std::move(prepared.audio);
    reading->prompt = prompt_;
    reading->language = options_.language;
    reading->index = num_begun_++;
    begin(std::move(reading), std::move(prepared.mel));
  }

  void begin(std::unique_ptr<Reading> reading, Tensor mel) {
    open_.insert(reading->begin());
    ++num_in_flight_;
    const engine::WorkId id = job_.encode(std::move(mel));
    readings_.emplace(id, std::move(reading));
  }

  void handle(engine::Event event) {
    auto node = readings_.extract(event.id);
    std::unique_ptr<Reading> reading = std::move(node.mapped());
    if (reading->encoded == nullptr) {
      reading->encoded = event.take<engine::WindowRef>();
      if (reading->language.empty()) {
        readings_.emplace(job_.detect_language(reading->encoded), std::move(reading));
      } else {
        decode(std::move(reading));
      }
    } else if (reading->language.empty()) {
      const std::size_t index = reading->index;
      undecided_.emplace(index, std::pair(std::move(reading), event.take<engine::Languages>()));
      decide_languages();
    } else {
      reading->attempts.push_back(event.take<models::WindowText>());
      judge(std::move(reading));
    }
  }

  // In order of time, so that a window that leaves the language open takes that of the one before.
  void decide_languages() {
    while (!undecided_.empty() && undecided_.begin()->first == num_decided_) {
      auto [reading, scores] = std::move(undecided_.begin()->second);
      undecided_.erase(undecided_.begin());
      ++num_decided_;
      const models::LanguageScore& best = scores.front();
      if (last_language_.empty() || best.probability >= kCertainLanguage)
        last_language_ = best.code;
      reading->language = last_language_;
      LanguageShare& share = languages_[reading->language];
      const double seconds = window_speech_s(*reading);
      share.speech_s += seconds;
      for (const models::LanguageScore& score : scores) {
        if (score.code == reading->language) share.probability_s += score.probability * seconds;
      }
      decode(std::move(reading));
    }
  }

  static double window_speech_s(const Reading& reading) {
    return speech_s(reading.audio.window.speech, reading.begin(), reading.end());
  }

  void decode(std::unique_ptr<Reading> reading) {
    const std::size_t rung = reading->attempts.size();
    models::DecodeOptions decode = decode_options(options_, options_.temperatures[rung]);
    decode.language = reading->language;
    decode.prompt_tokens = reading->prompt;
    decode.prefix_tokens = prefix_;
    decode.seed +=
        static_cast<std::uint64_t>(reading->begin()) * options_.temperatures.size() + rung;
    const engine::WorkId id = job_.decode(reading->encoded, std::move(decode));
    readings_.emplace(id, std::move(reading));
  }

  void judge(std::unique_ptr<Reading> reading) {
    const bool is_good = !needs_retry(reading->attempts.back(), options_);
    if (!is_good && reading->attempts.size() < options_.temperatures.size()) {
      decode(std::move(reading));
      return;
    }
    const models::WindowText text =
        is_good ? std::move(reading->attempts.back()) : best_attempt(reading->attempts, options_);
    reading->encoded.reset();
    accept(*reading, text, is_good);
    end(*reading);
  }

  void accept(const Reading& reading, const models::WindowText& text, bool is_good) {
    if (is_skipped(text, options_)) {
      note_missing(reading, reading.begin(), "no_speech");
      return;
    }
    const std::int64_t num_frames = (reading.end() - reading.begin()) / kHop;
    const SplitWindow split = split_window(
        text.tokens, {.first_frame = 0,
                      .num_frames = num_frames,
                      .frames_per_position = model_.info().frames_per_position,
                      .find_timestamp = [&](int token) { return model_.find_timestamp(token); }});
    const std::size_t first = segments_.size();
    for (const TokenSegment& segment : split.segments) append(reading, segment, text, is_good);
    const bool has_text = segments_.size() > first;
    const std::int64_t read_to = has_text ? end_of(reading, split) : reading.begin();
    reread_from(reading, text, read_to, split.num_frames < num_frames);
  }

  // Where the text ends, by its last timestamp.
  std::int64_t end_of(const Reading& reading, const SplitWindow& split) const {
    const std::int64_t in_window = to_samples(split.segments.back().end_s);
    return std::clamp(reading.begin() + in_window, reading.begin(), reading.end());
  }

  // Whether there is speech behind the text, and if so reads it as a window of its own.
  void reread_from(const Reading& reading, const models::WindowText& text, std::int64_t read_to,
                   bool has_dropped_text) {
    const double unread_s =
        speech_s(reading.audio.window.speech, read_to + kTimestampSlackSamples, reading.end());
    if (unread_s < (has_dropped_text ? kMinUnreadAfterTextS : kMinUnreadS)) return;
    const bool has_moved = read_to > reading.begin();
    if (!has_moved || reading.num_rereads == kMaxRereads) {
      note_missing(reading, read_to, "no_text");
      return;
    }
    auto rest = std::make_unique<Reading>();
    rest->audio = tail_of(reading.audio, read_to);
    rest->num_rereads = reading.num_rereads + 1;
    rest->language = reading.language;
    rest->prompt = reading.prompt;
    if (options_.condition_on_previous_text && text.temperature <= 0.5) {
      rest->prompt.insert(rest->prompt.end(), text.tokens.begin(), text.tokens.end());
    }
    Tensor mel = features::log_mel_padded(rest->audio.pcm, model_.info().num_mel_bins);
    begin(std::move(rest), std::move(mel));
  }

  void append(const Reading& reading, const TokenSegment& split, const models::WindowText& text,
              bool is_good) {
    Segment segment;
    segment.text = model_.decode_text(split.tokens);
    if (split.start_s == split.end_s || utf8::strip(segment.text).empty()) return;
    segment.seek = static_cast<int>(reading.begin() / kHop);
    segment.start_s = to_s(reading.begin()) + split.start_s;
    segment.end_s = std::min(to_s(reading.begin()) + split.end_s, to_s(reading.end()));
    segment.tokens = split.tokens;
    segment.temperature = text.temperature;
    segment.avg_logprob = text.avg_logprob;
    segment.compression_ratio = text.compression_ratio;
    segment.no_speech_prob = text.no_speech_prob;
    segment.language = reading.language;
    if (!is_good) segment.flags.push_back("low_confidence");
    segments_.push_back(std::move(segment));
  }

  void note_missing(const Reading& reading, std::int64_t from, const char* reason) {
    missing_.push_back({to_s(from), to_s(reading.end()), reason});
  }

  void end(const Reading& reading) {
    --num_in_flight_;
    open_.erase(open_.find(reading.begin()));
    if (on_done_) on_done_(to_s(open_.empty() ? reading.end() : *open_.begin()));
  }

  ParallelResult finish() {
    ParallelResult result;
    // Windows end in any order; their segments are told in one.
    std::ranges::stable_sort(segments_, {},
                             [](const Segment& s) { return std::pair(s.start_s, s.seek); });
    std::ranges::stable_sort(missing_, {}, &Interval::begin_s);
    for (std::size_t i = 0; i < segments_.size(); ++i) segments_[i].id = static_cast<int>(i);
    result.language = options_.language;
    double most_s = 0;
    for (const auto& [language, share] : languages_) {
      if (share.speech_s <= most_s) continue;
      most_s = share.speech_s;
      result.language = language;
      result.language_probability = share.probability_s / share.speech_s;
    }
    result.segments = std::move(segments_);
    result.missing = std::move(missing_);
    return result;
  }

  const models::Model& model_;
  engine::Job& job_;
  const Options& options_;
  const OnDone& on_done_;
  std::vector<int> prompt_;
  std::vector<int> prefix_;

  std::map<engine::WorkId, std::unique_ptr<Reading>> readings_;  // by what they wait for
  std::map<std::size_t, std::pair<std::unique_ptr<Reading>, engine::Languages>> undecided_;
  std::size_t num_begun_ = 0;
  std::size_t num_decided_ = 0;
  std::string last_language_;
  struct LanguageShare {
    double speech_s = 0;
    double probability_s = 0;  // each second's probability, added up
  };
  std::map<std::string, LanguageShare> languages_;  // that were detected
  int num_in_flight_ = 0;
  std::multiset<std::int64_t> open_;  // where the readings in flight begin
  std::vector<Segment> segments_;
  std::vector<Interval> missing_;
};

}  // namespace

ParallelResult transcribe_parallel(const models::Model& model, engine::Job& job,
                                   WindowReader& reader, const Options& options, int max_in_flight,
                                   const OnDone& on_done) {
  return ParallelLoop(model, job, options, on_done).run(reader, max_in_flight);
}

}  // namespace steno::transcribe
