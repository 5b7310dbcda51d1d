#include "transcribe/window_reader.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "base/check.h"
#include "transcribe/recording.h"

namespace steno::transcribe {
namespace {

constexpr std::int64_t kBlockSamples = std::int64_t{8} * audio::kSampleRate;

// Half a second of the window is kept for the edges of the longest span.
vad::SpanOptions span_options(const WindowRules& rules) {
  vad::SpanOptions options;
  options.max_speech_s =
      static_cast<double>(rules.max_samples - rules.trail_samples) / audio::kSampleRate;
  return options;
}

}  // namespace

WindowReader::WindowReader(const audio::Source& source, const audio::DecodeOptions& options,
                           const vad::SpeechDetector& detector, ops::Ops& ops,
                           std::vector<Clip> clips, const WindowRules& rules)
    : decoder_(open_decoder(source, options)),
      probabilities_(detector, ops),
      tracker_(span_options(rules)),
      planner_(rules),
      clips_(std::move(clips)) {
  if (clips_.empty()) clips_.push_back({0, std::numeric_limits<std::int64_t>::max() / 2});
}

std::optional<AudioWindow> WindowReader::next() {
  while (ready_.empty() && !has_ended_) read_block();
  if (ready_.empty()) return std::nullopt;
  AudioWindow window{std::move(ready_.front()), {}};
  ready_.pop_front();
  const auto at = [&](std::int64_t sample) {
    return audio_.begin() + static_cast<std::ptrdiff_t>(sample - first_sample_);
  };
  window.pcm.assign(at(window.window.begin_samples), at(window.window.end_samples));
  return window;
}

void WindowReader::read_block() {
  forget_old_audio();
  const std::size_t before = audio_.size();
  audio_.resize(before + kBlockSamples);
  const std::size_t read = decoder_.read(std::span(audio_).subspan(before));
  audio_.resize(before + read);
  num_samples_ += static_cast<std::int64_t>(read);
  take(tracker_.push(probabilities_.push(std::span(audio_).subspan(before))));
  add(planner_.advance(tracker_.first_uncertain_sample()));
  if (read == kBlockSamples) return;
  has_ended_ = true;
  take(tracker_.push(probabilities_.finish()));
  take(tracker_.finish(num_samples_));
  add(planner_.break_at(num_samples_));
}

// Speech outside the clips does not count.
void WindowReader::take(const std::vector<vad::SpeechSpan>& spans) {
  for (const vad::SpeechSpan& span : spans) {
    for (; clip_ < clips_.size(); ++clip_) {
      const Clip& clip = clips_[clip_];
      const vad::SpeechSpan heard{std::max(span.begin_samples, clip.begin_samples),
                                  std::min(span.end_samples, clip.end_samples)};
      if (heard.begin_samples < heard.end_samples) {
        planner_.set_begin(clip.begin_samples);
        speech_s_ +=
            static_cast<double>(heard.end_samples - heard.begin_samples) / audio::kSampleRate;
        add(planner_.push({heard}));
      }
      if (span.end_samples <= clip.end_samples) break;
      add(planner_.break_at(clip.end_samples));
    }
  }
}

void WindowReader::add(std::vector<SpeechWindow> windows) {
  for (SpeechWindow& window : windows) ready_.push_back(std::move(window));
}

void WindowReader::forget_old_audio() {
  const std::int64_t needed = planner_.first_needed_sample(tracker_.first_uncertain_sample());
  STENO_CHECK(first_sample_ <= needed && needed <= num_samples_, "{} of {} to {}", needed,
              first_sample_, num_samples_);
  audio_.erase(audio_.begin(),
               audio_.begin() + static_cast<std::ptrdiff_t>(needed - first_sample_));
  first_sample_ = needed;
}

}  // namespace steno::transcribe
