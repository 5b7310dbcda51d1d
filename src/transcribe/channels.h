// The transcripts of a recording's channels -> one, by time. Pure.
// Path: transcribe/job (one transcript a channel) -> here -> output.
#pragma once

#include <string>
#include <vector>

#include "transcribe/transcript.h"

namespace steno::transcribe {

// "left" and "right" of two, else "1", "2", ...; a single channel has no name.
std::string channel_name(int channel, int num_channels);

// Segments in order of time, each with its channel's name; what is told of the whole is told once.
// Requires at least one.
Transcript merge_channels(std::vector<Transcript> channels);

}  // namespace steno::transcribe
