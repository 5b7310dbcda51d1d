// Words become subtitles: cues that end where sentences do, in balanced lines, within limits. Pure.
//
// Path: output/pieces -> here -> output/subtitles.
// Source: the limits' names and the 3 s pause are openai-whisper's (v20250625, utils.py,
// SubtitlesWriter). DIFFERS: it fills each line up before it begins the next; here the cheapest of
// all ways to cut is taken, which prefers ends of sentences, then of clauses, then even lengths.
// Times in ms.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "output/cue_limits.h"
#include "output/cues.h"
#include "output/pieces.h"

namespace steno::output {

// Whether a cue may hold the end of one segment and the beginning of the next: where lines and
// columns bound it. Otherwise a segment is a cue if it fits, as in openai-whisper.
bool joins_segments(const CueLimits& limits);

// Cues for pieces of one speaker, in order. Only a single piece may be wider than a line; none is
// shown longer than max_cue_s. Texts and lines joined are the pieces.
std::vector<Cue> shape_cues(std::span<const Piece> pieces, const CueLimits& limits);

}  // namespace steno::output
