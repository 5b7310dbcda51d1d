#include "vad/spans.h"

#include <algorithm>
#include <utility>

#include "audio/pcm.h"
#include "base/check.h"

namespace steno::vad {
namespace {

constexpr std::int64_t kSamplesPerMs = audio::kSampleRate / 1000;

}  // namespace

SpanTracker::SpanTracker(const SpanOptions& options)
    : threshold_(options.threshold),
      neg_threshold_(options.neg_threshold.value_or(std::max(options.threshold - 0.15, 0.01))),
      min_speech_samples_(options.min_speech_ms * kSamplesPerMs),
      min_silence_samples_(options.min_silence_ms * kSamplesPerMs),
      min_pause_samples_(options.min_pause_ms * kSamplesPerMs),
      pad_samples_(options.speech_pad_ms * kSamplesPerMs),
      max_speech_samples_(options.max_speech_s * audio::kSampleRate -
                          static_cast<double>(kChunkSamples + 2 * pad_samples_)) {
  STENO_CHECK(options.min_speech_ms >= 0 && options.min_silence_ms >= 0 &&
                  options.min_pause_ms >= 0 && options.speech_pad_ms >= 0,
              "a duration below zero");
}

std::vector<SpeechSpan> SpanTracker::push(std::span<const float> probabilities) {
  for (const float probability : probabilities) {
    step(probability);
    release_waiting();
  }
  return std::exchange(certain_, {});
}

std::int64_t SpanTracker::first_uncertain_sample() const {
  if (waiting_) return waiting_->begin_samples;
  return std::max<std::int64_t>(0, begin_.value_or(num_chunks_ * kChunkSamples) - pad_samples_);
}

std::vector<SpeechSpan> SpanTracker::finish(std::int64_t total_samples) {
  STENO_CHECK(num_chunks_ == (total_samples + kChunkSamples - 1) / kChunkSamples,
              "{} probabilities for {} samples", num_chunks_, total_samples);
  if (begin_ && total_samples - *begin_ > min_speech_samples_) close(total_samples);
  if (waiting_) {
    waiting_->end_samples = std::min(total_samples, waiting_->end_samples + pad_samples_);
    certain_.push_back(*waiting_);
  }
  return std::exchange(certain_, {});
}

void SpanTracker::step(double probability) {
  const std::int64_t now = num_chunks_++ * kChunkSamples;
  const bool is_speech = probability >= threshold_;
  if (is_speech && pause_begin_) {
    const std::int64_t duration = now - *pause_begin_;
    const std::int64_t longest = longest_pause_ ? longest_pause_->duration : min_pause_samples_;
    if (duration > longest) longest_pause_ = {*pause_begin_, duration};
    pause_begin_.reset();
  }
  if (is_speech && !begin_) {
    begin_ = now;
    return;
  }
  if (begin_ && static_cast<double>(now - *begin_) > max_speech_samples_) {
    cut_long_speech(now);
  }
  if (begin_ && probability < neg_threshold_) {
    if (!pause_begin_) pause_begin_ = now;
    if (now - *pause_begin_ < min_silence_samples_) return;
    if (*pause_begin_ - *begin_ > min_speech_samples_) close(*pause_begin_);
    forget_speech();
  }
}

// At the longest pause, and speech goes on behind it; without a pause here and now, and speech
// begins anew with the next chunk that is loud enough.
void SpanTracker::cut_long_speech(std::int64_t now) {
  const std::optional<Pause> pause = longest_pause_;
  close(pause ? pause->begin : now);
  forget_speech();
  if (pause) begin_ = pause->begin + pause->duration;
}

void SpanTracker::forget_speech() {
  begin_.reset();
  pause_begin_.reset();
  longest_pause_.reset();
}

// Neighbours with less than two paddings between them meet in the middle.
void SpanTracker::close(std::int64_t end) {
  std::int64_t left_pad = pad_samples_;
  if (waiting_) {
    const std::int64_t gap = *begin_ - waiting_->end_samples;
    left_pad = gap < 2 * pad_samples_ ? gap / 2 : pad_samples_;
    waiting_->end_samples += left_pad;
    certain_.push_back(*waiting_);
  }
  waiting_ = {std::max<std::int64_t>(0, *begin_ - left_pad), end};
}

// A span whose padding neither the next one nor the end of the recording can shorten any more.
void SpanTracker::release_waiting() {
  if (!waiting_) return;
  const std::int64_t next_begin = begin_.value_or(num_chunks_ * kChunkSamples);
  const std::int64_t heard = (num_chunks_ - 1) * kChunkSamples;  // the recording is longer
  const std::int64_t padded_end = waiting_->end_samples + pad_samples_;
  if (padded_end + pad_samples_ > next_begin || padded_end > heard) return;
  certain_.push_back({waiting_->begin_samples, padded_end});
  waiting_.reset();
}

std::vector<SpeechSpan> find_speech(std::span<const float> probabilities,
                                    std::int64_t total_samples, const SpanOptions& options) {
  SpanTracker tracker(options);
  std::vector<SpeechSpan> spans = tracker.push(probabilities);
  const std::vector<SpeechSpan> rest = tracker.finish(total_samples);
  spans.insert(spans.end(), rest.begin(), rest.end());
  return spans;
}

}  // namespace steno::vad
