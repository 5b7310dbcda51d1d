#include "transcribe/parallel.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/utf8.h"
#include "features/log_mel.h"
#include "transcribe/guards.h"
#include "transcribe/language_parts.h"
#include "transcribe/read_ahead.h"
#include "transcribe/segments.h"
#include "transcribe/word_times.h"

namespace steno::transcribe {
namespace {

// Speech behind the last timestamp that is worth another look: timestamps are up to some tenths of
// a second early.
constexpr double kMinUnreadS = 0.8;
// After dropped text there is something to read for sure.
constexpr double kMinUnreadAfterTextS = 0.2;
// Timestamps may lie a little before the end of the word.
constexpr std::int64_t kTimestampSlackSamples = audio::kSampleRate / 5;
// A timestamp that closes a segment so short before the end of the speech is the last of a window
// that is not full: what follows there is more often said twice than new, and too short to be read
// again.
constexpr double kEndOfTextS = 0.5;
// The detector of speech is late on soft first sounds, and early on last ones.
constexpr double kOnsetS = 0.1;
// The words before a window help where noise hides what was said, and nowhere else. There is noise
// where the quiet parts lie less than this below the loud ones: 15 dB at 10 dB of noise, while
// clean speech has more than 30.
constexpr double kMaxNoisyRangeDb = 22;
// Even then a text likelier than this is right. With -0.2 a tenth less time is spent on noisy audio
// and word error is 2 points higher under babble of 5 dB, with -0.3 under any noise of 10 dB.
constexpr double kClearLogprob = -0.1;
// Text of wilder samples is no context, as in whisper.transcribe.
constexpr double kMaxContextTemperature = 0.5;
// A window that is read again and again, each time a little of it, is given up after so many times.
constexpr int kMaxRereads = 8;
// Short recordings need more padding than long ones: the words of a model that has heard nothing
// but 30 s come out worse below this.
constexpr double kMinPaddedS = 8;
// Windows with features that wait for the engine; each takes 3 MB.
constexpr std::size_t kNumAhead = 2;

constexpr std::int64_t kHop = features::kHopSamples;

double to_s(std::int64_t samples) {
  return static_cast<double>(samples) / audio::kSampleRate;
}

std::int64_t to_samples(double s) {
  return static_cast<std::int64_t>(s * audio::kSampleRate);
}

// The part of a window with the speech that `part` names.
AudioWindow cut(const AudioWindow& whole, const SpeechWindow& part) {
  const auto at = [&](std::int64_t sample) {
    return whole.pcm.begin() + static_cast<std::ptrdiff_t>(sample - whole.window.begin_samples);
  };
  return {part, std::vector<float>(at(part.begin_samples), at(part.end_samples))};
}

AudioWindow tail_of(const AudioWindow& whole, std::int64_t begin) {
  SpeechWindow tail{begin, whole.window.end_samples, {}};
  for (vad::SpeechSpan span : whole.window.speech) {
    span.begin_samples = std::max(span.begin_samples, begin);
    if (span.begin_samples < span.end_samples) tail.speech.push_back(span);
  }
  return cut(whole, tail);
}

// What became of one of the reader's windows. Read anew (in another language), it starts over.
struct Outcome {
  int version = 0;
  std::vector<Segment> segments;
  std::vector<Interval> missing;
  std::optional<std::vector<int>> words;  // tokens of its first reading, once they are known
  bool forgets = false;                   // they are no context, and what was before is none either
  std::vector<int> context;  // the last tokens up to its end: ParallelLoop::num_contexts_
};

// Parts of a window whose languages are being told.
struct Parts {
  AudioWindow audio;
  std::vector<SpeechWindow> windows;
  std::vector<std::string> languages;  // empty until known
  std::vector<std::string> expected;   // spoken in it or beside it
  std::size_t num_open = 0;
};

// A window on its way: encode -> language -> decode, hotter while it looks wrong -> segments ->
// words, if they are wanted.
struct Reading {
  AudioWindow audio;
  std::size_t index = 0;  // of the reader's window that it is, or is a part or the rest of
  int version = 0;
  int num_rereads = 0;
  bool is_full = false;  // padded to what the model was trained on
  std::string language;  // empty until known
  std::vector<int> prompt;
  bool has_given_prompt = false;  // the prompt is the user's, not text that was read
  std::shared_ptr<Parts> parts;   // it is one of these, and only its language is asked
  std::size_t part = 0;
  engine::WindowRef encoded;
  std::vector<models::WindowText> attempts;
  bool has_context = false;                 // the words before are in its prompt, or there are none
  std::optional<models::WindowText> alone;  // what it said without them
  std::optional<models::WindowText> prompted;  // what it said with the prompt that it may be
  std::vector<Segment> segments;               // its text, once it is decided

  std::int64_t begin() const { return audio.window.begin_samples; }
  std::int64_t end() const { return audio.window.end_samples; }
};

class ParallelLoop {
 public:
  ParallelLoop(const models::Model& model, engine::Job& job, const Options& options,
               const OnDone& on_done)
      : model_(model),
        job_(job),
        options_(options),
        on_done_(on_done),
        prompt_text_(options.hotwords + " " + options.initial_prompt),
        prompt_(model.encode_text(spaced(prompt_text_))),
        prefix_(model.encode_text(spaced(options.prefix))) {}

  ParallelResult run(const NextWindow& next_window, int max_in_flight) {
    ReadAhead ahead(
        next_window, [this](const AudioWindow& audio) { return mel_of(audio, is_always_full()); },
        kNumAhead);
    bool has_more = true;
    while (has_more || job_.num_pending() > 0 || !parked_.empty()) {
      while (has_more && num_in_flight_ < max_in_flight) {
        // While there are results to handle, a window that is not ready yet is not waited for.
        std::optional<Prepared> prepared = job_.num_pending() > 0 ? ahead.try_next() : ahead.next();
        if (!prepared) {
          has_more = !ahead.has_ended();
          break;
        }
        begin_first(std::move(*prepared));
      }
      if (job_.num_pending() > 0) handle(job_.wait());
      has_ended_ = !has_more && num_decided_ == outcomes_.size();
      tell_contexts();
    }
    return finish();
  }

 private:
  static std::string spaced(const std::string& text) {
    const std::string_view stripped = utf8::strip(text);
    return stripped.empty() ? "" : " " + std::string(stripped);
  }

  // ---- windows come in

  void begin_first(Prepared prepared) {
    auto reading = std::make_unique<Reading>();
    reading->audio = std::move(prepared.audio);
    reading->index = outcomes_.size();
    reading->language = options_.language;
    outcomes_.emplace_back();
    begin(std::move(reading), std::move(prepared.mel));
  }

  void begin(std::unique_ptr<Reading> reading) {
    Tensor mel = mel_of(reading->audio, reading->is_full || is_always_full());
    begin(std::move(reading), std::move(mel));
  }

  // Times are what tells where the text of a window that is not full must end.
  bool is_always_full() const { return options_.without_timestamps; }

  Tensor mel_of(const AudioWindow& audio, bool is_full) const {
    const models::ModelInfo& info = model_.info();
    std::int64_t num_frames = info.window_frames;
    if (!is_full) {
      const double padded_s =
          std::max(to_s(std::ssize(audio.pcm)) + options_.window_padding_s, kMinPaddedS);
      const auto positions = static_cast<std::int64_t>(
          std::ceil(padded_s * audio::kSampleRate / kHop / info.frames_per_position));
      num_frames = std::min(num_frames, positions * info.frames_per_position);
    }
    return features::log_mel_window(audio.pcm, info.num_mel_bins, num_frames);
  }

  void begin(std::unique_ptr<Reading> reading, Tensor mel) {
    reading->is_full = mel.dim(0) == model_.info().window_frames;
    open_.insert(reading->begin());
    ++num_in_flight_;
    if (reading->num_rereads == 0) use_given_prompt(*reading);
    const engine::WorkId id = job_.encode(std::move(mel));
    waiting_.emplace(id, std::move(reading));
  }

  void use_given_prompt(Reading& reading) const {
    reading.prompt = prompt_;
    reading.has_given_prompt = !prompt_.empty();
  }

  void handle(engine::Event event) {
    std::unique_ptr<Reading> reading = std::move(waiting_.extract(event.id).mapped());
    if (is_void(*reading)) {
      end(*reading);
    } else if (!reading->segments.empty()) {
      take_words(std::move(reading), event.take<models::Alignment>());
    } else if (reading->encoded == nullptr) {
      reading->encoded = event.take<engine::WindowRef>();
      reading->language.empty() ? detect_language(std::move(reading)) : decode(std::move(reading));
    } else if (reading->language.empty()) {
      take_languages(std::move(reading), event.take<engine::Languages>());
    } else {
      reading->attempts.push_back(event.take<models::WindowText>());
      judge(std::move(reading));
    }
  }

  // Its window is read anew meanwhile.
  bool is_void(const Reading& reading) const {
    return reading.version != outcomes_[reading.index].version;
  }

  // ---- languages

  void detect_language(std::unique_ptr<Reading> reading) {
    const engine::WorkId id = job_.detect_language(reading->encoded);
    waiting_.emplace(id, std::move(reading));
  }

  void take_languages(std::unique_ptr<Reading> reading, engine::Languages scores) {
    if (reading->parts != nullptr) {
      take_part(*reading, scores);
      return;
    }
    const std::size_t index = reading->index;
    undecided_.emplace(index, std::pair(std::move(reading), std::move(scores)));
    // In order of time: what was spoken before counts.
    while (!undecided_.empty() && undecided_.begin()->first == num_decided_) {
      auto [next, next_scores] = std::move(undecided_.begin()->second);
      undecided_.erase(undecided_.begin());
      ++num_decided_;
      decide_language(std::move(next), next_scores);
    }
  }

  void decide_language(std::unique_ptr<Reading> reading, const engine::Languages& scores) {
    std::vector<std::string> around;
    if (!last_language_.empty()) around.push_back(last_language_);
    const models::LanguageScore best = best_language(scores, options_.allowed_languages, around);
    reading->language = best.code;
    around.push_back(best.code);
    const bool changes = around.size() == 2 && around[0] != around[1];
    last_language_ = best.code;
    const double seconds = speech_s(reading->audio.window.speech, reading->begin(), reading->end());
    LanguageShare& share = languages_[best.code];
    share.speech_s += seconds;
    share.probability_s += best.probability * seconds;

    // The change may lie at the end of the window before or in this one.
    if (changes && !before_is_parted_) {
      tell_parts(std::exchange(before_, {}), reading->index - 1, around);
    }
    before_ = reading->audio;
    before_is_parted_ = changes || may_be_mixed(best);
    if (!before_is_parted_ || split_into_parts(reading->audio.window).size() == 1) {
      decode(std::move(reading));
      return;
    }
    const std::size_t index = reading->index;
    reading.reset();
    end_at(before_.window.begin_samples);
    tell_parts(before_, index, around);
  }

  // Starts a window over: first the language of each of its parts, then each language's text.
  void tell_parts(AudioWindow audio, std::size_t index, std::vector<std::string> expected) {
    auto parts = std::make_shared<Parts>();
    parts->windows = split_into_parts(audio.window);
    if (parts->windows.size() == 1) return;
    parts->audio = std::move(audio);
    parts->expected = std::move(expected);
    parts->languages.resize(parts->windows.size());
    parts->num_open = parts->windows.size();
    if (auto parked = parked_.extract(index); !parked.empty()) end(*parked.mapped());
    outcomes_[index] = {.version = outcomes_[index].version + 1,
                        .segments = {},
                        .missing = {},
                        .words = std::vector<int>(),
                        .forgets = true,
                        .context = {}};
    for (std::size_t i = 0; i < parts->windows.size(); ++i) {
      auto reading = std::make_unique<Reading>();
      reading->audio = cut(parts->audio, parts->windows[i]);
      reading->index = index;
      reading->version = outcomes_[index].version;
      reading->parts = parts;
      reading->part = i;
      begin(std::move(reading));
    }
  }

  void take_part(const Reading& reading, const engine::Languages& scores) {
    Parts& parts = *reading.parts;
    parts.languages[reading.part] =
        best_language(scores, options_.allowed_languages, parts.expected).code;
    end(reading);
    if (--parts.num_open > 0) return;
    for (LanguagePart& part : join_parts(parts.windows, parts.languages)) {
      auto whole = std::make_unique<Reading>();
      whole->audio = cut(parts.audio, part.window);
      whole->index = reading.index;
      whole->version = reading.version;
      whole->language = std::move(part.language);
      begin(std::move(whole));
    }
  }

  // ---- text

  void decode(std::unique_ptr<Reading> reading) {
    const std::size_t rung = reading->attempts.size();
    models::DecodeOptions decode = decode_options(options_, options_.temperatures[rung]);
    decode.language = reading->language;
    decode.prompt_tokens = reading->prompt;
    decode.prefix_tokens = prefix_;
    if (reading->alone) decode.draft_tokens = reading->alone->tokens;
    if (reading->prompted) decode.draft_tokens = reading->prompted->tokens;
    if (!reading->is_full) decode.end_position = end_position_of(*reading);
    decode.seed +=
        static_cast<std::uint64_t>(reading->begin()) * options_.temperatures.size() + rung;
    const engine::WorkId id = job_.decode(reading->encoded, std::move(decode));
    waiting_.emplace(id, std::move(reading));
  }

  int end_position_of(const Reading& reading) const {
    const std::vector<vad::SpeechSpan>& speech = reading.audio.window.speech;
    const std::int64_t last = speech.empty() ? reading.end() : speech.back().end_samples;
    const std::int64_t in_window = last - to_samples(kEndOfTextS) - reading.begin();
    return static_cast<int>(std::max<std::int64_t>(0, in_window) / kHop /
                            model_.info().frames_per_position);
  }

  void judge(std::unique_ptr<Reading> reading) {
    if (is_first_reading(*reading) && !outcomes_[reading->index].words) {
      tell_words(*reading, reading->attempts.front());
    }
    if (needs_context(*reading)) {
      read_in_context(std::move(reading));
      return;
    }
    if (reading->alone) take_better(*reading);
    const bool is_good = !needs_retry(reading->attempts.back(), options_) &&
                         !has_too_much_text(*reading, reading->attempts.back());
    if (!is_good && !reading->is_full) {
      read_in_full(std::move(reading));
      return;
    }
    if (!is_good && reading->attempts.size() < options_.temperatures.size()) {
      decode(std::move(reading));
      return;
    }
    const models::WindowText text =
        is_good ? reading->attempts.back() : best_attempt(reading->attempts, options_);
    if (reading->prompted) {
      end_without_prompt(*reading, text, is_good);
    } else if (reading->has_given_prompt && is_only_prompt(text)) {
      // Is it what was said, or only what was asked for? Without the prompt it shows.
      reading->prompted = text;
      reading->prompt.clear();
      reading->attempts.clear();
      decode(std::move(reading));
      return;
    } else {
      accept(*reading, text, is_good ? "" : "low_confidence");
    }
    if (options_.word_timestamps && !reading->segments.empty()) {
      align(std::move(reading));
    } else {
      publish(std::move(reading));
    }
  }

  // A text that looks wrong may be so for want of padding. The window starts over as one that is
  // read again: nobody waits for its words, so none that waits holds the room that it needs.
  void read_in_full(std::unique_ptr<Reading> reading) {
    auto full = std::make_unique<Reading>();
    full->audio = std::move(reading->audio);
    full->index = reading->index;
    full->version = reading->version;
    full->num_rereads = reading->num_rereads + 1;
    full->is_full = true;
    full->language = reading->language;
    full->prompt = reading->prompt;
    full->has_given_prompt = reading->has_given_prompt;
    full->prompted = std::move(reading->prompted);
    const std::int64_t begin_samples = full->begin();
    reading.reset();
    end_at(begin_samples);
    begin(std::move(full));
  }

  // ---- what was said before, for windows that are hard to hear

  // Of a window of the reader, not of a part or a rest.
  static bool is_first_reading(const Reading& reading) {
    return reading.version == 0 && reading.num_rereads == 0;
  }

  bool needs_context(const Reading& reading) const {
    return options_.condition_on_previous_text && is_first_reading(reading) &&
           !reading.has_context && reading.index > 0 && reading.attempts.size() == 1 &&
           reading.attempts.front().avg_logprob < kClearLogprob &&
           !is_silence(reading.attempts.front(), options_) &&
           loudness_range_db(reading.audio.pcm) < kMaxNoisyRangeDb;
  }

  // Waits for the text of the windows before. They have their room in the engine already, so none
  // can wait for the room that this one holds; what is left of them to read again may, so it is not
  // waited for.
  void read_in_context(std::unique_ptr<Reading> reading) {
    const std::size_t index = reading->index;
    if (index > num_contexts_) {
      parked_.emplace(index, std::move(reading));
      return;
    }
    reading->has_context = true;
    const std::vector<int>& before = outcomes_[index - 1].context;
    if (before.empty()) {
      judge(std::move(reading));
      return;
    }
    reading->alone = std::move(reading->attempts.front());
    reading->attempts.clear();
    reading->prompt.insert(reading->prompt.end(), before.begin(), before.end());
    decode(std::move(reading));
  }

  // The likelier of the texts with and without context.
  void take_better(Reading& reading) const {
    const models::WindowText& alone = *reading.alone;
    const models::WindowText attempts[] = {alone, reading.attempts.back()};
    if (&best_attempt(attempts, options_) == &attempts[0]) {
      reading.attempts = {alone};
      reading.prompt = prompt_;
    }
    reading.alone.reset();
  }

  void tell_words(const Reading& reading, const models::WindowText& text) {
    Outcome& outcome = outcomes_[reading.index];
    outcome.words.emplace();
    outcome.forgets = needs_retry(text, options_);
    if (!outcome.forgets && !is_skipped(text, options_)) {
      for (const Segment& segment : segments_of(reading, text).first) {
        outcome.words->insert(outcome.words->end(), segment.tokens.begin(), segment.tokens.end());
      }
    }
    tell_contexts();
  }

  // In order of time, each when its window can be read anew no more, so that no context depends on
  // what was done first.
  void tell_contexts() {
    while (num_contexts_ < outcomes_.size() && outcomes_[num_contexts_].words &&
           is_settled(num_contexts_)) {
      Outcome& outcome = outcomes_[num_contexts_];
      if (num_contexts_ > 0 && !outcome.forgets) {
        outcome.context = outcomes_[num_contexts_ - 1].context;
      }
      if (!outcome.forgets) {
        outcome.context.insert(outcome.context.end(), outcome.words->begin(), outcome.words->end());
      }
      const auto most = static_cast<std::size_t>(model_.info().max_prompt_tokens);
      if (outcome.context.size() > most) {
        outcome.context.erase(outcome.context.begin(),
                              outcome.context.end() - static_cast<std::ptrdiff_t>(most));
      }
      ++num_contexts_;
      auto next = parked_.extract(num_contexts_);
      if (!next.empty()) read_in_context(std::move(next.mapped()));
    }
  }

  // The language of the window behind it is known, which may be the reason to read it anew.
  bool is_settled(std::size_t index) const {
    return !options_.language.empty() || num_decided_ > index + 1 || has_ended_;
  }

  bool is_only_prompt(const models::WindowText& text) const {
    return may_be_prompt(model_.decode_text(text.tokens), prompt_text_);
  }

  // Speech that is heard without the prompt as well supports the text with it.
  void end_without_prompt(Reading& reading, const models::WindowText& text, bool is_good) {
    const bool is_heard = is_good && !is_skipped(text, options_) &&
                          !utf8::strip(model_.decode_text(text.tokens)).empty();
    if (is_heard) {
      accept(reading, *reading.prompted, "");
    } else {
      note_missing(reading, reading.begin(), options_.hotwords.empty() ? "prompt_leak" : "hotword");
    }
  }

  // As of a short rest that says again what its prompt said.
  bool has_too_much_text(const Reading& reading, const models::WindowText& text) const {
    std::int64_t num_tokens = 0;
    for (const Segment& segment : segments_of(reading, text).first) {
      num_tokens += std::ranges::count_if(segment.tokens,
                                          [&](int token) { return !model_.find_timestamp(token); });
    }
    return is_too_fast(static_cast<std::size_t>(num_tokens), to_s(reading.end() - reading.begin()));
  }

  void accept(Reading& reading, const models::WindowText& text, std::string_view flag) {
    if (is_skipped(text, options_)) return;
    if (has_too_much_text(reading, text)) {
      note_missing(reading, reading.begin(), "no_text");
      return;
    }
    auto [segments, split] = segments_of(reading, text);
    if (!flag.empty()) {
      for (Segment& segment : segments) segment.flags.emplace_back(flag);
    }
    const std::int64_t read_to = segments.empty() ? reading.begin() : end_of(reading, split);
    read_rest(reading, text, read_to, split.num_frames < num_frames_of(reading));
    reading.segments = std::move(segments);
  }

  std::pair<std::vector<Segment>, SplitWindow> segments_of(const Reading& reading,
                                                           const models::WindowText& text) const {
    SplitWindow split = split_window(
        text.tokens, {.first_frame = 0,
                      .num_frames = num_frames_of(reading),
                      .frames_per_position = model_.info().frames_per_position,
                      .find_timestamp = [&](int token) { return model_.find_timestamp(token); }});
    std::vector<Segment> segments;
    for (const TokenSegment& segment : split.segments) append(reading, segment, text, segments);
    return {std::move(segments), std::move(split)};
  }

  static std::int64_t num_frames_of(const Reading& reading) {
    return (reading.end() - reading.begin()) / kHop;
  }

  // Where the text ends, by its last timestamp.
  static std::int64_t end_of(const Reading& reading, const SplitWindow& split) {
    const std::int64_t in_window = to_samples(split.segments.back().end_s);
    return std::clamp(reading.begin() + in_window, reading.begin(), reading.end());
  }

  // Speech behind the text becomes a window of its own.
  void read_rest(const Reading& reading, const models::WindowText& text, std::int64_t read_to,
                 bool has_dropped_text) {
    const double unread_s =
        speech_s(reading.audio.window.speech, read_to + kTimestampSlackSamples, reading.end());
    if (unread_s < (has_dropped_text ? kMinUnreadAfterTextS : kMinUnreadS)) return;
    if (read_to == reading.begin() || reading.num_rereads == kMaxRereads) {
      note_missing(reading, read_to, "no_text");
      return;
    }
    auto rest = std::make_unique<Reading>();
    rest->audio = tail_of(reading.audio, read_to);
    rest->index = reading.index;
    rest->version = reading.version;
    rest->num_rereads = reading.num_rereads + 1;
    rest->language = reading.language;
    rest->prompt = reading.prompt;
    if (options_.condition_on_previous_text && text.temperature <= kMaxContextTemperature) {
      rest->prompt.insert(rest->prompt.end(), text.tokens.begin(), text.tokens.end());
    }
    begin(std::move(rest));
  }

  void append(const Reading& reading, const TokenSegment& split, const models::WindowText& text,
              std::vector<Segment>& segments) const {
    Segment segment;
    segment.tokens = split.tokens;
    if (drop_unsupported_copies(split.end_s - split.start_s, segment.tokens)) {
      segment.flags.emplace_back("repetition");
    }
    segment.text = model_.decode_text(segment.tokens);
    if (split.start_s == split.end_s || utf8::strip(segment.text).empty()) return;
    segment.seek = static_cast<int>(reading.begin() / kHop);
    const double window_end_s = to_s(reading.end());  // what comes behind is the model's padding
    std::tie(segment.start_s, segment.end_s) =
        without_silence(reading, std::min(to_s(reading.begin()) + split.start_s, window_end_s),
                        std::min(to_s(reading.begin()) + split.end_s, window_end_s));
    segment.temperature = text.temperature;
    segment.avg_logprob = text.avg_logprob;
    segment.compression_ratio = text.compression_ratio;
    segment.no_speech_prob = text.no_speech_prob;
    segment.language = reading.language;
    segments.push_back(std::move(segment));
  }

  // Whisper likes to begin its first segment at 0.00 and to end its last with the window, whatever
  // pauses are there.
  static std::pair<double, double> without_silence(const Reading& reading, double start_s,
                                                   double end_s) {
    double first_s = end_s;
    double last_s = start_s;
    for (const vad::SpeechSpan& span : reading.audio.window.speech) {
      const double begin_s = std::max(start_s, to_s(span.begin_samples) - kOnsetS);
      const double until_s = std::min(end_s, to_s(span.end_samples) + kOnsetS);
      if (begin_s >= until_s) continue;
      first_s = std::min(first_s, begin_s);
      last_s = std::max(last_s, until_s);
    }
    if (first_s >= last_s) return {start_s, end_s};
    return {first_s, last_s};
  }

  // A loop at the end of a segment keeps what could have been said in its time. True if it lost
  // any.
  bool drop_unsupported_copies(double duration_s, std::vector<int>& tokens) const {
    std::vector<int> closing;  // the timestamp behind the text
    while (!tokens.empty() && model_.find_timestamp(tokens.back())) {
      closing.insert(closing.begin(), tokens.back());
      tokens.pop_back();
    }
    const std::optional<Repetition> loop = find_repetition(tokens);
    const std::size_t kept = loop ? supported_copies(*loop, duration_s) : 0;
    const bool drops = loop && kept < loop->copies;
    if (drops) tokens.resize(loop->begin + kept * loop->unit);
    tokens.insert(tokens.end(), closing.begin(), closing.end());
    return drops;
  }

  void note_missing(const Reading& reading, std::int64_t from, const char* reason) {
    outcomes_[reading.index].missing.push_back({to_s(from), to_s(reading.end()), reason});
  }

  // ---- words

  void align(std::unique_ptr<Reading> reading) {
    const engine::WorkId id = job_.align(
        reading->encoded,
        align_request(reading->segments, options_, reading->language, num_frames_of(*reading)));
    waiting_.emplace(id, std::move(reading));
  }

  void take_words(std::unique_ptr<Reading> reading, const models::Alignment& alignment) {
    // What was said before may not be known yet; a window begins in the pause before its words.
    const double begin_s = to_s(reading->begin());
    add_word_times(reading->segments, alignment, word_rules(model_, options_, reading->language),
                   {.begin_s = begin_s, .last_speech_s = begin_s});
    cut_to_speech(reading->segments, reading->audio.window.speech);
    publish(std::move(reading));
  }

  // ---- the end

  void publish(std::unique_ptr<Reading> reading) {
    std::ranges::move(reading->segments, std::back_inserter(outcomes_[reading->index].segments));
    reading->encoded.reset();
    end(*reading);
  }

  void end(const Reading& reading) { end_at(reading.begin()); }

  void end_at(std::int64_t begin) {
    --num_in_flight_;
    open_.erase(open_.find(begin));
    if (on_done_) on_done_(to_s(open_.empty() ? begin : *open_.begin()));
  }

  ParallelResult finish() {
    ParallelResult result;
    for (Outcome& outcome : outcomes_) {
      std::ranges::move(outcome.segments, std::back_inserter(result.segments));
      std::ranges::move(outcome.missing, std::back_inserter(result.missing));
    }
    // Windows end in any order; their segments are told in one.
    std::ranges::stable_sort(result.segments, {}, [](const Segment& s) {
      return std::tuple(s.start_s, s.seek, s.end_s);
    });
    std::ranges::stable_sort(result.missing, {}, &Interval::begin_s);
    for (std::size_t i = 0; i < result.segments.size(); ++i) {
      result.segments[i].id = static_cast<int>(i);
    }
    result.language = options_.language;
    double most_s = 0;
    for (const auto& [language, share] : languages_) {
      if (share.speech_s <= most_s) continue;
      most_s = share.speech_s;
      result.language = language;
      result.language_probability = share.probability_s / share.speech_s;
    }
    return result;
  }

  const models::Model& model_;
  engine::Job& job_;
  const Options& options_;
  const OnDone& on_done_;
  std::string prompt_text_;
  std::vector<int> prompt_;
  std::vector<int> prefix_;

  std::map<engine::WorkId, std::unique_ptr<Reading>> waiting_;  // by the work that they wait for
  std::size_t num_contexts_ = 0;  // of outcomes_, from the first on, whose context is known
  std::map<std::size_t, std::unique_ptr<Reading>> parked_;  // by index: they wait for context
  bool has_ended_ = false;  // the reader's windows have all begun, and their languages are known
  std::vector<Outcome> outcomes_;  // by index of the reader's windows
  int num_in_flight_ = 0;
  std::multiset<std::int64_t> open_;  // where the readings in flight begin

  using Scored = std::pair<std::unique_ptr<Reading>, engine::Languages>;
  std::map<std::size_t, Scored> undecided_;  // by index
  std::size_t num_decided_ = 0;
  std::string last_language_;
  AudioWindow before_;  // the window decided last
  bool before_is_parted_ = true;
  struct LanguageShare {
    double speech_s = 0;
    double probability_s = 0;  // each second's probability, added up
  };
  std::map<std::string, LanguageShare> languages_;  // that were detected
};

}  // namespace

ParallelResult transcribe_parallel(const models::Model& model, engine::Job& job,
                                   const NextWindow& next_window, const Options& options,
                                   int max_in_flight, const OnDone& on_done) {
  return ParallelLoop(model, job, options, on_done).run(next_window, max_in_flight);
}

}  // namespace steno::transcribe
