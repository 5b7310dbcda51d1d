// A window's tokens -> its segments, and where the next window begins. Pure.
//
// Path: models (WindowText) -> here -> transcribe/sequential.
// Source: whisper/transcribe.py, the part from `timestamp_tokens` to `seek +=`, v20250625.
// Units: frames of 10 ms.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace steno::transcribe {

inline constexpr double kFramesPerSecond = 100;

struct TokenSegment {
  double start_s = 0;
  double end_s = 0;
  std::vector<int> tokens;  // timestamps included
};

struct SplitWindow {
  std::vector<TokenSegment> segments;
  std::int64_t num_frames = 0;  // how far to seek
  bool ends_in_single_timestamp = false;
};

struct SplitRules {
  std::int64_t first_frame = 0;                                 // of the window
  std::int64_t num_frames = 0;                                  // of audio in it, at most 3000
  int frames_per_position = 2;                                  // in which timestamps count
  std::function<std::optional<int>(int token)> find_timestamp;  // as models::Model has it
};

// Consecutive timestamps part the segments. Text after the last pair was cut off by the window: it
// is dropped and the next window begins where that pair points, unless the window ends in a single
// timestamp.
SplitWindow split_window(std::span<const int> tokens, const SplitRules& rules);

}  // namespace steno::transcribe
