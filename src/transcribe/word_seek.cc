#include "transcribe/word_seek.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "transcribe/segments.h"

namespace steno::transcribe {
namespace {

// Both default lists of Options, one after the other.
constexpr std::string_view kPunctuation = "\"'“¿([{-\"'.。,，!！?？:：”)]}、";
constexpr int kJudgedWords = 8;
constexpr double kUnlikely = 0.15;
constexpr double kShortWordS = 0.133;
constexpr double kLongWordS = 2.0;
constexpr double kNearEdgeS = 2.0;  // of a window

std::int64_t frame_at(double time_s) {
  return static_cast<std::int64_t>(std::nearbyint(time_s * kFramesPerSecond));
}

// High for a word that is unlikely, very short or very long.
double anomaly_score(const Word& word) {
  const double duration_s = word.end_s - word.start_s;
  double score = word.probability < kUnlikely ? 1.0 : 0.0;
  if (duration_s < kShortWordS) score += (kShortWordS - duration_s) * 15;
  if (duration_s > kLongWordS) score += duration_s - kLongWordS;
  return score;
}

bool is_anomaly(const Segment& segment) {
  if (segment.words.empty()) return false;
  double score = 0;
  int num_words = 0;
  for (const Word& word : segment.words) {
    if (kPunctuation.find(word.text) != std::string_view::npos) continue;
    if (num_words == kJudgedWords) break;
    score += anomaly_score(word);
    ++num_words;
  }
  return score >= 3 || score + 0.01 >= num_words;
}

const Segment* find_with_words(std::span<const Segment> segments) {
  const auto it = std::find_if(segments.begin(), segments.end(),
                               [](const Segment& segment) { return !segment.words.empty(); });
  return it == segments.end() ? nullptr : &*it;
}

class SilenceSkip {
 public:
  SilenceSkip(std::span<const Segment> segments, const SeekWindow& window, double threshold_s)
      : segments_(segments),
        window_(window),
        threshold_s_(threshold_s),
        begin_s_(static_cast<double>(window.first_frame) / kFramesPerSecond),
        end_s_(static_cast<double>(window.first_frame + window.window_frames) / kFramesPerSecond) {}

  WordSeek run(std::int64_t next_frame) const {
    WordSeek seek{.next_frame = after_last_word(next_frame), .num_kept = segments_.size()};
    const Segment* first = find_with_words(segments_);
    if (first != nullptr && is_anomaly(*first) && first->start_s - begin_s_ > threshold_s_) {
      seek.next_frame = window_.first_frame + frame_at(first->start_s - begin_s_);
      seek.num_kept = 0;
      seek.is_skipped = true;
      return seek;
    }
    double last_end_s = window_.last_speech_s;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const Segment& segment = segments_[i];
      if (segment.words.empty()) continue;
      if (is_anomaly(segment) && is_surrounded(i, last_end_s)) {
        seek.next_frame = frame_at(std::max(begin_s_ + 1, segment.start_s));
        const double content_s = static_cast<double>(window_.content_frames) / kFramesPerSecond;
        if (content_s - segment.end_s < threshold_s_) seek.next_frame = window_.content_frames;
        seek.num_kept = i;
        return seek;
      }
      last_end_s = segment.end_s;
    }
    return seek;
  }

 private:
  // Not into the middle of what remains, if that is too short to hold a silence.
  std::int64_t after_last_word(std::int64_t next_frame) const {
    if (window_.ends_in_single_timestamp) return next_frame;
    const std::optional<double> last_s = last_end_s(segments_);
    if (!last_s || *last_s <= begin_s_) return next_frame;
    return end_s_ - *last_s > threshold_s_ ? frame_at(*last_s)
                                           : window_.first_frame + window_.num_frames;
  }

  // By silence, by an edge of the window, or by other words that were made up.
  bool is_surrounded(std::size_t i, double last_end_s) const {
    const Segment& segment = segments_[i];
    const Segment* next = find_with_words(segments_.subspan(i + 1));
    const double next_start_s =
        next != nullptr ? next->words.front().start_s
                        : begin_s_ + static_cast<double>(window_.num_frames) / kFramesPerSecond;
    const bool before = segment.start_s - last_end_s > threshold_s_ ||
                        segment.start_s < threshold_s_ || segment.start_s - begin_s_ < kNearEdgeS;
    const bool after = next_start_s - segment.end_s > threshold_s_ ||
                       (next != nullptr && is_anomaly(*next)) ||
                       end_s_ - segment.end_s < kNearEdgeS;
    return before && after;
  }

  std::span<const Segment> segments_;
  const SeekWindow& window_;
  double threshold_s_;
  double begin_s_;
  double end_s_;
};

}  // namespace

std::optional<double> last_end_s(std::span<const Segment> segments) {
  if (segments.empty()) return std::nullopt;
  for (std::size_t i = segments.size(); i-- > 0;) {
    if (!segments[i].words.empty()) return segments[i].words.back().end_s;
  }
  return segments.back().end_s;
}

WordSeek seek_by_words(std::span<const Segment> segments, const SeekWindow& window) {
  WordSeek seek{.next_frame = window.next_frame, .num_kept = segments.size()};
  const std::optional<double> last_s = last_end_s(segments);
  if (!window.ends_in_single_timestamp && last_s &&
      *last_s > static_cast<double>(window.first_frame) / kFramesPerSecond) {
    seek.next_frame = frame_at(*last_s);
  }
  if (window.silence_threshold_s) {
    seek = SilenceSkip(segments, window, *window.silence_threshold_s).run(seek.next_frame);
  }
  // DIFFERS: words or a silence of less than a frame make the reference decode the window again.
  if (seek.next_frame <= window.first_frame) {
    seek.next_frame = window.first_frame + window.num_frames;
  }
  return seek;
}

}  // namespace steno::transcribe
