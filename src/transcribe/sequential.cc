#include "transcribe/sequential.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/utf8.h"
#include "transcribe/guards.h"
#include "transcribe/segments.h"
#include "transcribe/word_seek.h"
#include "transcribe/word_times.h"

namespace steno::transcribe {
namespace {

// A window whose loudest frame is below this (log10 of mel power) is digital silence or its dither:
// 16-bit rounding noise lies near -9, quiet speech above -5.
constexpr float kInaudible = -8.5F;

struct FrameRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

// DIFFERS: the reference reads past the end when a clip does.
std::vector<FrameRange> clips_of(const std::vector<double>& times_s, std::int64_t content_frames) {
  std::vector<std::int64_t> points;
  for (const double time : times_s) {
    // TRAP: a time far past the end would not fit into an integer.
    const double frame = std::nearbyint(time * kFramesPerSecond);
    points.push_back(
        static_cast<std::int64_t>(std::min(frame, static_cast<double>(content_frames))));
  }
  if (points.empty()) points.push_back(0);
  if (points.size() % 2 == 1) points.push_back(content_frames);
  std::vector<FrameRange> clips;
  for (std::size_t i = 0; i < points.size(); i += 2) {
    clips.push_back({points[i], points[i + 1]});
  }
  return clips;
}

// The text so far as the model's tokens, and which of it goes before the next window.
class PreviousText {
 public:
  PreviousText(std::vector<int> initial_prompt, bool carry, int max_tokens)
      : tokens_(initial_prompt),
        num_initial_(initial_prompt.size()),
        carry_(carry),
        num_carried_room_(std::max<std::ptrdiff_t>(
            0, max_tokens - static_cast<std::ptrdiff_t>(initial_prompt.size()))) {}

  // DIFFERS: where a carried prompt fills the room to the token or more, the reference's slice
  // [-0:] or [+k:] keeps text that pushes the prompt out again; here the prompt stays.
  std::vector<int> prompt() const {
    if (!carry_) return {at(num_forgotten_), tokens_.end()};
    const auto begin =
        std::max(at(std::max(num_initial_, num_forgotten_)),
                 tokens_.end() - std::min<std::ptrdiff_t>(num_carried_room_, std::ssize(tokens_)));
    std::vector<int> prompt(tokens_.begin(), at(num_initial_));
    prompt.insert(prompt.end(), begin, tokens_.end());
    return prompt;
  }

  void append(std::span<const int> tokens) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  }
  void forget() { num_forgotten_ = tokens_.size(); }

 private:
  std::vector<int>::const_iterator at(std::size_t i) const {
    return tokens_.begin() + static_cast<std::ptrdiff_t>(i);
  }

  std::vector<int> tokens_;
  std::size_t num_initial_;
  bool carry_;
  std::ptrdiff_t num_carried_room_;
  std::size_t num_forgotten_ = 0;
};

std::vector<int> tokens_of(const models::Model& model, const std::string& text) {
  const std::string_view stripped = utf8::strip(text);
  if (stripped.empty()) return {};
  return model.encode_text(" " + std::string(stripped));
}

class SequentialLoop {
 public:
  SequentialLoop(const models::Model& model, engine::Job& job, const features::MelStore& mel,
                 const Options& options, const OnWindow& on_window)
      : model_(model),
        job_(job),
        mel_(mel),
        options_(options),
        on_window_(on_window),
        prefix_(tokens_of(model, options.prefix)),
        hotwords_(tokens_of(model, options.hotwords)),
        previous_(tokens_of(model, options.initial_prompt), options.carry_initial_prompt,
                  model.info().max_prompt_tokens) {}

  std::vector<Segment> run() {
    for (const FrameRange& clip : clips_of(options_.clip_timestamps_s, mel_.content_frames())) {
      seek_ = clip.begin;
      while (seek_ < clip.end) {
        const std::int64_t num_frames =
            std::min<std::int64_t>(model_.info().window_frames, clip.end - seek_);
        transcribe_window(num_frames);
        if (on_window_) on_window_(static_cast<double>(seek_) / kFramesPerSecond);
      }
    }
    return std::move(segments_);
  }

 private:
  // Moves seek_ on by at least one frame.
  void transcribe_window(std::int64_t num_frames) {
    // DIFFERS: the reference lets the model find words in digital silence ("you", "Thank you").
    if (is_inaudible(num_frames)) {
      seek_ += num_frames;
      return;
    }
    const engine::WindowRef window = job_.encode_now(read_mel(num_frames));
    const models::WindowText text = decode_with_retries(window);
    if (is_skipped(text, options_)) {
      seek_ += num_frames;
      return;
    }
    const SplitWindow split = split_window(
        text.tokens, {.first_frame = seek_,
                      .num_frames = num_frames,
                      .frames_per_position = model_.info().frames_per_position,
                      .find_timestamp = [&](int token) { return model_.find_timestamp(token); }});
    std::vector<Segment> segments;
    for (const TokenSegment& segment : split.segments) {
      segments.push_back(make_segment(segment, text));
    }
    // DIFFERS: a pair of timestamps at 0.00 makes the reference decode the same window for ever.
    WordSeek seek{.next_frame = seek_ + (split.num_frames > 0 ? split.num_frames : num_frames),
                  .num_kept = segments.size()};
    if (options_.word_timestamps) {
      find_words(window, num_frames, segments);
      seek = seek_by_words(segments,
                           {.first_frame = seek_,
                            .num_frames = num_frames,
                            .window_frames = model_.info().window_frames,
                            .content_frames = mel_.content_frames(),
                            .next_frame = seek.next_frame,
                            .ends_in_single_timestamp = split.ends_in_single_timestamp,
                            .last_speech_s = last_speech_s_,
                            .silence_threshold_s = options_.hallucination_silence_threshold_s});
    }
    segments.resize(seek.num_kept);
    last_speech_s_ = last_end_s(segments).value_or(last_speech_s_);
    for (Segment& segment : segments) append_segment(std::move(segment));
    const bool forgets = !options_.condition_on_previous_text || text.temperature > 0.5;
    if (forgets && !seek.is_skipped) previous_.forget();
    seek_ = seek.next_frame;
  }

  void find_words(const engine::WindowRef& window, std::int64_t num_frames,
                  std::span<Segment> segments) {
    const models::Alignment alignment =
        job_.align_now(window, align_request(segments, options_, options_.language, num_frames));
    add_word_times(segments, alignment, word_rules(model_, options_, options_.language),
                   {.begin_s = static_cast<double>(seek_) / kFramesPerSecond,
                    .last_speech_s = last_speech_s_});
  }

  Tensor read_mel(std::int64_t num_frames) const {
    const std::int64_t window = model_.info().window_frames;
    Tensor mel = mel_.read_window(seek_, num_frames);  // [num_frames, M]
    if (num_frames < window) {
      Tensor padded = Tensor::zeros({window, mel_.num_mels()});
      std::copy_n(mel.data<float>(), mel.num_elements(), padded.data<float>());
      mel = padded;
    }
    return mel;
  }

  bool is_inaudible(std::int64_t num_frames) const {
    return mel_.loudest(seek_, num_frames) <=
           std::max(kInaudible, mel_.maximum() - features::kDynamicRange);
  }

  // The hotwords, and as much of the text so far as the model still takes; half of it at least.
  std::vector<int> prompt() const {
    std::vector<int> previous = previous_.prompt();
    if (hotwords_.empty()) return previous;
    const auto room = static_cast<std::ptrdiff_t>(model_.info().max_prompt_tokens);
    const std::ptrdiff_t num_hotwords = std::min(std::ssize(hotwords_), room / 2);
    const std::ptrdiff_t kept = std::min(std::ssize(previous), room - num_hotwords);
    std::vector<int> prompt(hotwords_.begin(), hotwords_.begin() + num_hotwords);
    prompt.insert(prompt.end(), previous.end() - kept, previous.end());
    return prompt;
  }

  models::WindowText decode_with_retries(const engine::WindowRef& window) {
    models::WindowText text;
    for (std::size_t i = 0; i < options_.temperatures.size(); ++i) {
      models::DecodeOptions decode = decode_options(options_, options_.temperatures[i]);
      decode.prompt_tokens = prompt();
      decode.prefix_tokens = prefix_;
      decode.seed += static_cast<std::uint64_t>(seek_) * options_.temperatures.size() + i;
      text = job_.decode_now(window, std::move(decode));
      if (!needs_retry(text, options_)) break;
    }
    return text;
  }

  Segment make_segment(const TokenSegment& split, const models::WindowText& text) const {
    Segment segment;
    segment.text = model_.decode_text(split.tokens);
    segment.seek = static_cast<int>(seek_);
    segment.start_s = split.start_s;
    segment.end_s = split.end_s;
    segment.tokens = split.tokens;
    segment.temperature = text.temperature;
    segment.avg_logprob = text.avg_logprob;
    segment.compression_ratio = text.compression_ratio;
    segment.no_speech_prob = text.no_speech_prob;
    return segment;
  }

  void append_segment(Segment segment) {
    if (segment.start_s == segment.end_s || utf8::strip(segment.text).empty()) return;
    previous_.append(segment.tokens);
    segment.id = static_cast<int>(segments_.size());
    segments_.push_back(std::move(segment));
  }

  const models::Model& model_;
  engine::Job& job_;
  const features::MelStore& mel_;
  const Options& options_;
  const OnWindow& on_window_;
  std::vector<int> prefix_;
  std::vector<int> hotwords_;
  PreviousText previous_;
  std::int64_t seek_ = 0;
  double last_speech_s_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace

std::vector<Segment> transcribe_sequential(const models::Model& model, engine::Job& job,
                                           const features::MelStore& mel, const Options& options,
                                           const OnWindow& on_window) {
  return SequentialLoop(model, job, mel, options, on_window).run();
}

}  // namespace steno::transcribe
