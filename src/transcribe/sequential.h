// OpenAI's seek loop: one window after the other, each beginning where the last one's timestamps
// end, with the text so far as its prompt and retries at rising temperatures.
//
// Path: transcribe/recording -> here -> transcribe/job.
// Source: whisper/transcribe.py, v20250625; token for token, but for what DIFFERS in sequential.cc.
#pragma once

#include <functional>
#include <vector>

#include "features/mel_store.h"
#include "models/model.h"
#include "ops/ops.h"
#include "transcribe/options.h"
#include "transcribe/transcript.h"

namespace steno::transcribe {

// `done_s` rises to the length of the audio.
using OnWindow = std::function<void(double done_s)>;

// Requires options.language, options that model.check() took, and room in the model for one window
// and max(beam_size, best_of) rows. Segments without text are left out and ids count the rest.
std::vector<Segment> transcribe_sequential(models::Model& model, ops::Ops& ops,
                                           const features::MelStore& mel, const Options& options,
                                           const OnWindow& on_window);

}  // namespace steno::transcribe
