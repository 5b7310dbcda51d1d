// The line-by-line formats: txt, srt, vtt, tsv.   Source: openai-whisper v20250625, utils.py.
#pragma once

#include <string>

#include "transcribe/transcript.h"

namespace steno::output {

std::string render_txt(const transcribe::Transcript& transcript);
std::string render_srt(const transcribe::Transcript& transcript);
std::string render_vtt(const transcribe::Transcript& transcript);
std::string render_tsv(const transcribe::Transcript& transcript);

}  // namespace steno::output
