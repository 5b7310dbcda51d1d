// What keeps a transcript from being all that was said, for those who would rather have none.
// Path: transcribe/job -> here -> a door.
#pragma once

#include <string>
#include <vector>

#include "transcribe/transcript.h"

namespace steno::transcribe {

// A line for each kind of doubt: decode errors, intervals without text, flags of guards. Empty: the
// transcript is as good as the model makes it.
std::vector<std::string> degradations(const Transcript& transcript);

// Throws Error(kInvalidAudio) with all of them.
void refuse_degraded(const Transcript& transcript);

}  // namespace steno::transcribe
