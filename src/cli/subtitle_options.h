// The options that say how large a subtitle may be, and what they mean together.
// Path: cli/transcribe_arguments -> here -> output/cue_limits.h.
// Source: openai-whisper v20250625, max_line_width, max_line_count, max_words_per_line.
#pragma once

#include <optional>
#include <vector>

#include "output/cue_limits.h"
#include "output/format.h"

namespace CLI {
class App;
}

namespace steno::cli {

struct SubtitleOptions {
  std::optional<int> max_line_width;
  std::optional<int> max_line_count;
  std::optional<int> max_words_per_line;
  std::optional<double> max_cue_s;
};

// Parsing fills `options`, which must outlive `command`.
void add_subtitle_options(CLI::App& command, SubtitleOptions& options);

// Nothing when no option was given. What was not given is as usual, but words per line alone make
// one line, as in openai-whisper. Throws Error(kUsage) when none of `formats` has cues.
std::optional<output::CueLimits> cue_limits(const SubtitleOptions& options,
                                            const std::vector<output::Format>& formats);

}  // namespace steno::cli
