// The JSON formats, each one line.
//
// Source: openai-whisper v20250625, transcribe.py (json) and timing.py (its words);
// openai-openapi, CreateTranscriptionResponseVerboseJson (verbose_json).
// Times are rounded to ms, so that they agree with the subtitles.
#pragma once

#include <string>

#include "transcribe/transcript.h"

namespace steno::output {

// {text, segments, language} as openai-whisper, then our own keys: source, duration, covered,
// missing, decode_errors, warnings, model, compute_type, version; speech and stream where they are
// known. A segment has language, channel and flags beside openai-whisper's keys where they say
// something.
std::string render_json(const transcribe::Transcript& transcript);

// The answer to response_format=verbose_json. The language is a lower-case English name, of the
// text: a translation is in English. Beside the API's keys, which clients ignore: "missing" where
// something is, and a segment's language, channel and flags.
std::string render_verbose_json(const transcribe::Transcript& transcript);

}  // namespace steno::output
