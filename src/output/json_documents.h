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
// decode_errors, warnings, model, compute_type, version.
std::string render_json(const transcribe::Transcript& transcript);

// The answer to response_format=verbose_json. The language is a lower-case English name, of the
// text: a translation is in English.
std::string render_verbose_json(const transcribe::Transcript& transcript);

}  // namespace steno::output
