// The cues of a whole transcript: by its words or by its segments, all channels merged by time.
//
// Path: transcribe/transcript -> here -> output/subtitles.
#pragma once

#include <optional>
#include <vector>

#include "output/cue_limits.h"
#include "output/cues.h"
#include "transcribe/transcript.h"

namespace steno::output {

// A cue for each segment that has text, as openai-whisper writes them.
std::vector<Cue> segment_cues(const transcribe::Transcript& transcript);

// Cues within `limits`. Without limits: within the usual ones if any segment has words, else
// segment_cues(). A cue holds one channel and one language; cues of one channel never overlap.
std::vector<Cue> subtitle_cues(const transcribe::Transcript& transcript,
                               const std::optional<CueLimits>& limits);

// What stands before the text of a channel's cue: "[left] "; empty when channels were mixed.
std::string channel_label(const std::string& channel);

}  // namespace steno::output
