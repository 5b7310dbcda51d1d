#include "transcribe/segments.h"

namespace steno::transcribe {

SplitWindow split_window(std::span<const int> tokens, const SplitRules& rules) {
  const std::size_t n = tokens.size();
  std::vector<std::optional<int>> times(n);
  for (std::size_t i = 0; i < n; ++i) times[i] = rules.find_timestamp(tokens[i]);

  const auto seconds = [&](int position) {
    const double frames = static_cast<double>(position) * rules.frames_per_position;
    return static_cast<double>(rules.first_frame) / kFramesPerSecond + frames / kFramesPerSecond;
  };
  const auto slice = [&](std::size_t begin, std::size_t end) {
    return std::vector<int>(tokens.begin() + static_cast<std::ptrdiff_t>(begin),
                            tokens.begin() + static_cast<std::ptrdiff_t>(end));
  };

  std::vector<std::size_t> cuts;
  for (std::size_t i = 1; i < n; ++i) {
    if (times[i - 1] && times[i]) cuts.push_back(i);
  }
  const bool ends_in_single_timestamp = n >= 2 && !times[n - 2] && times[n - 1];

  SplitWindow split;
  split.num_frames = rules.num_frames;
  split.ends_in_single_timestamp = ends_in_single_timestamp;
  if (cuts.empty()) {
    double duration_s = static_cast<double>(rules.num_frames) / kFramesPerSecond;
    for (std::size_t i = n; i-- > 0;) {
      if (!times[i]) continue;
      if (*times[i] != 0) duration_s = seconds(*times[i]) - seconds(0);
      break;
    }
    split.segments.push_back({seconds(0), seconds(0) + duration_s, slice(0, n)});
    return split;
  }
  if (ends_in_single_timestamp) {
    cuts.push_back(n);
  } else {
    split.num_frames = std::int64_t{*times[cuts.back() - 1]} * rules.frames_per_position;
  }
  std::size_t begin = 0;
  for (const std::size_t end : cuts) {
    // The rules of decoding make both ends timestamps; after a prefix the first may be text.
    const double start_s = seconds(times[begin].value_or(0));
    const double end_s = times[end - 1] ? seconds(*times[end - 1]) : start_s;
    split.segments.push_back({start_s, end_s, slice(begin, end)});
    begin = end;
  }
  return split;
}

}  // namespace steno::transcribe
