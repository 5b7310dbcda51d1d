#include "output/transcript_cues.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "base/utf8.h"
#include "output/pieces.h"
#include "output/shape_cues.h"

namespace steno::output {
namespace {

using transcribe::Segment;
using transcribe::Transcript;
using Segments = std::vector<Segment>;

// By channel, in the order in which they first speak.
std::vector<Segments> by_channel(const Segments& segments) {
  std::vector<Segments> groups;
  for (const Segment& segment : segments) {
    const auto is_of_group = [&](const Segments& group) {
      return group.front().channel == segment.channel;
    };
    const auto group = std::ranges::find_if(groups, is_of_group);
    if (group == groups.end()) {
      groups.push_back({segment});
    } else {
      group->push_back(segment);
    }
  }
  return groups;
}

// Each part is in one language.
std::vector<Segments> parts_by_language(const Segments& segments) {
  std::vector<Segments> parts;
  for (const Segment& segment : segments) {
    const bool goes_on = !parts.empty() && parts.back().front().language == segment.language;
    if (!goes_on) parts.emplace_back();
    parts.back().push_back(segment);
  }
  return parts;
}

void keep_in_order(std::vector<Cue>& cues) {
  std::int64_t earliest_ms = 0;
  for (Cue& cue : cues) {
    cue.start_ms = std::max(cue.start_ms, earliest_ms);
    cue.end_ms = std::max(cue.end_ms, cue.start_ms);
    earliest_ms = cue.end_ms;
  }
}

// Cues of one channel.
std::vector<Cue> shaped(const Segments& segments, CueLimits limits) {
  const std::string channel = segments.front().channel;
  if (limits.max_line_columns > 0) {
    const int label_columns = num_columns(channel_label(channel));
    limits.max_line_columns = std::max(1, limits.max_line_columns - label_columns);
  }
  std::vector<Cue> cues;
  for (const Segments& part : parts_by_language(segments)) {
    std::ranges::move(shape_cues(make_pieces(part), limits), std::back_inserter(cues));
  }
  for (Cue& cue : cues) cue.channel = channel;
  keep_in_order(cues);
  return cues;
}

std::vector<Cue> merged(const Segments& segments,
                        const std::function<std::vector<Cue>(const Segments&)>& cues_of) {
  std::vector<Cue> cues;
  for (const Segments& channel : by_channel(segments)) {
    std::ranges::move(cues_of(channel), std::back_inserter(cues));
  }
  std::ranges::stable_sort(cues, {}, &Cue::start_ms);
  return cues;
}

bool has_words(const Transcript& transcript) {
  const auto has_some = [](const Segment& segment) { return !segment.words.empty(); };
  return std::ranges::any_of(transcript.segments, has_some);
}

}  // namespace

std::vector<Cue> segment_cues(const Transcript& transcript) {
  return merged(transcript.segments, make_cues);
}

std::vector<Cue> subtitle_cues(const Transcript& transcript,
                               const std::optional<CueLimits>& limits) {
  if (!limits && !has_words(transcript)) return segment_cues(transcript);
  return merged(transcript.segments, [&](const Segments& segments) {
    return shaped(segments, limits.value_or(CueLimits{}));
  });
}

std::string channel_label(const std::string& channel) {
  return channel.empty() ? "" : "[" + utf8::printable(channel) + "] ";
}

}  // namespace steno::output
