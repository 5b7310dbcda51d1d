// The line-by-line formats: txt, srt, vtt, tsv.   Source: openai-whisper v20250625, utils.py.
#pragma once

#include <optional>
#include <string>

#include "output/cue_limits.h"
#include "transcribe/transcript.h"

namespace steno::output {

// A line for each segment.
std::string render_txt(const transcribe::Transcript& transcript);
// Cues as output/transcript_cues.h cuts them.
std::string render_srt(const transcribe::Transcript& transcript,
                       const std::optional<CueLimits>& limits);
std::string render_vtt(const transcribe::Transcript& transcript,
                       const std::optional<CueLimits>& limits);
std::string render_tsv(const transcribe::Transcript& transcript,
                       const std::optional<CueLimits>& limits);

}  // namespace steno::output
