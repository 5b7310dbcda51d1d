// A transcript as text in one of the formats: the last stop of the walk.
//
// Path: transcribe/transcript -> here -> a door (file, stdout, HTTP body).
// Source: openai-whisper v20250625, utils.py (txt, srt, vtt, tsv) and transcribe.py (json);
// openai-openapi CreateTranscriptionResponseVerboseJson (verbose_json).
#pragma once

#include <optional>
#include <string>

#include "output/cue_limits.h"
#include "output/format.h"
#include "transcribe/transcript.h"

namespace steno::output {

// Always valid UTF-8, never NaN, and either empty or ended by a line break. JSON is one line.
//   txt           a line for each segment that has text
//   json          openai-whisper's result, and beside it what the transcript covers
//   verbose_json  the OpenAI API's answer; "words" only when there are any
//   srt vtt tsv   cues within `limits`; without limits, of the usual size when the transcript has
//                 words, else a segment each (output/transcript_cues.h)
std::string render(const transcribe::Transcript& transcript, Format format,
                   const std::optional<CueLimits>& limits = {});

}  // namespace steno::output
