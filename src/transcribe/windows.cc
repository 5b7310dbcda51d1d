#include "transcribe/windows.h"

#include <algorithm>
#include <utility>

namespace steno::transcribe {

std::vector<SpeechWindow> WindowPlanner::push(const std::vector<vad::SpeechSpan>& spans) {
  std::vector<SpeechWindow> windows;
  for (const vad::SpeechSpan& span : spans) {
    if (!open_.empty() &&
        span.begin_samples - open_.back().end_samples > rules_.max_pause_samples) {
      cut(open_.size(), span.begin_samples, windows);
    }
    // Behind the longest pause there may still be more than a window holds.
    while (!open_.empty() && span.end_samples - open_.front().begin_samples > rules_.max_samples) {
      const std::size_t num_spans = choose_cut(span.begin_samples);
      cut(num_spans, num_spans < open_.size() ? open_[num_spans].begin_samples : span.begin_samples,
          windows);
    }
    open_.push_back(span);
  }
  return windows;
}

std::vector<SpeechWindow> WindowPlanner::advance(std::int64_t sample) {
  std::vector<SpeechWindow> windows;
  if (!open_.empty() && sample - open_.back().end_samples > rules_.max_pause_samples) {
    cut(open_.size(), sample, windows);
  }
  return windows;
}

std::vector<SpeechWindow> WindowPlanner::break_at(std::int64_t sample) {
  std::vector<SpeechWindow> windows;
  const std::int64_t end = std::max(last_end_, sample);
  if (!open_.empty()) cut(open_.size(), sample + 2 * rules_.trail_samples, windows);
  for (SpeechWindow& window : windows) window.end_samples = std::min(window.end_samples, sample);
  last_end_ = end;  // the next clip may begin right here
  return windows;
}

std::int64_t WindowPlanner::first_needed_sample(std::int64_t uncertain_sample) const {
  const std::int64_t speech_begin = open_.empty() ? uncertain_sample : open_.front().begin_samples;
  return std::max(last_end_, speech_begin - rules_.lead_samples);
}

// How many of the open spans the next window gets.
std::size_t WindowPlanner::choose_cut(std::int64_t next_begin) const {
  const std::int64_t begin = open_.front().begin_samples;
  const auto filled =
      static_cast<std::int64_t>(rules_.min_fill * static_cast<double>(rules_.max_samples));
  std::size_t best = open_.size();
  std::int64_t longest = -1;
  for (std::size_t i = open_.size(); i > 0; --i) {
    if (open_[i - 1].end_samples - begin < filled && longest >= 0) break;
    const std::int64_t next = i < open_.size() ? open_[i].begin_samples : next_begin;
    const std::int64_t pause = next - open_[i - 1].end_samples;
    if (pause > longest) {
      longest = pause;
      best = i;
    }
  }
  return best;
}

void WindowPlanner::cut(std::size_t num_spans, std::int64_t next_begin,
                        std::vector<SpeechWindow>& windows) {
  const auto end = open_.begin() + static_cast<std::ptrdiff_t>(num_spans);
  SpeechWindow window;
  window.speech.assign(open_.begin(), end);
  // What the speech leaves of the window goes behind it first, then before it.
  const std::int64_t speech_begin = window.speech.front().begin_samples;
  const std::int64_t speech_end = window.speech.back().end_samples;
  const std::int64_t room = rules_.max_samples - (speech_end - speech_begin);
  const std::int64_t pause = std::max<std::int64_t>(0, next_begin - speech_end);
  const std::int64_t trail = std::min({rules_.trail_samples, pause / 2, room / 2});
  window.end_samples = speech_end + trail;
  window.begin_samples =
      std::max({last_end_, speech_begin - rules_.lead_samples, speech_begin - (room - trail)});
  last_end_ = window.end_samples;
  windows.push_back(std::move(window));
  open_.erase(open_.begin(), end);
}

double speech_s(const std::vector<vad::SpeechSpan>& spans, std::int64_t begin_samples,
                std::int64_t end_samples) {
  std::int64_t sum = 0;
  for (const vad::SpeechSpan& span : spans) {
    const std::int64_t begin = std::max(span.begin_samples, begin_samples);
    const std::int64_t end = std::min(span.end_samples, end_samples);
    sum += std::max<std::int64_t>(0, end - begin);
  }
  return static_cast<double>(sum) / audio::kSampleRate;
}

}  // namespace steno::transcribe
