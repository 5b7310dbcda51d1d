#include "transcribe/channels.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"

namespace steno::transcribe {
namespace {

// Both channels are decoded from the same packets: most of what one warns of, the other does too.
void add_new(std::vector<std::string>& warnings, std::vector<std::string> more) {
  for (std::string& warning : more) {
    if (std::ranges::find(warnings, warning) == warnings.end()) {
      warnings.push_back(std::move(warning));
    }
  }
}

bool is_same(const Interval& a, const Interval& b) {
  return a.begin_s == b.begin_s && a.end_s == b.end_s && a.reason == b.reason;
}

}  // namespace

std::string channel_name(int channel, int num_channels) {
  if (num_channels == 1) return "";
  if (num_channels == 2) return channel == 0 ? "left" : "right";
  return std::to_string(channel + 1);
}

Transcript merge_channels(std::vector<Transcript> channels) {
  STENO_CHECK(!channels.empty(), "no channel");
  const int num_channels = static_cast<int>(channels.size());
  // The language of the channel that says most is the whole's.
  const auto most = std::ranges::max_element(
      channels, {}, [](const Transcript& channel) { return channel.text.size(); });
  Transcript whole = std::move(channels.front());
  whole.language = std::string(most == channels.begin() ? whole.language : most->language);
  whole.language_probability =
      most == channels.begin() ? whole.language_probability : most->language_probability;
  for (Segment& segment : whole.segments) segment.channel = channel_name(0, num_channels);
  for (int i = 1; i < num_channels; ++i) {
    Transcript& channel = channels[static_cast<std::size_t>(i)];
    for (Segment& segment : channel.segments) segment.channel = channel_name(i, num_channels);
    std::ranges::move(channel.segments, std::back_inserter(whole.segments));
    for (const Interval& interval : channel.missing) {
      if (std::ranges::none_of(whole.missing,
                               [&](const Interval& known) { return is_same(known, interval); })) {
        whole.missing.push_back(interval);
      }
    }
    add_new(whole.warnings, std::move(channel.warnings));
    if (channel.speech_s) whole.speech_s = whole.speech_s.value_or(0) + *channel.speech_s;
    whole.decode_errors = std::max(whole.decode_errors, channel.decode_errors);
  }
  std::ranges::stable_sort(whole.segments, {}, &Segment::start_s);
  std::ranges::stable_sort(whole.missing, {}, &Interval::begin_s);
  whole.text.clear();
  for (std::size_t i = 0; i < whole.segments.size(); ++i) {
    whole.segments[i].id = static_cast<int>(i);
    whole.text += whole.segments[i].text;
  }
  whole.text = std::string(utf8::strip(whole.text));
  return whole;
}

}  // namespace steno::transcribe
