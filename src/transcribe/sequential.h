// OpenAI's seek loop: one window after the other, each beginning where the last one's timestamps
// end, with the text so far as its prompt and retries at rising temperatures.
//
// Path: transcribe/recording -> here -> transcribe/job.
// Source: whisper/transcribe.py, v20250625; token for token, but for what DIFFERS in sequential.cc.
#pragma once

#include <functional>
#include <vector>

#include "engine/engine.h"
#include "features/mel_store.h"
#include "models/model.h"
#include "transcribe/options.h"
#include "transcribe/transcript.h"

namespace steno::transcribe {

// `done_s` rises to the length of the audio.
using OnWindow = std::function<void(double done_s)>;

// Requires options.language and options that model.check() took. Segments without text are left out
// and ids count the rest. Throws what the engine's work throws.
std::vector<Segment> transcribe_sequential(const models::Model& model, engine::Job& job,
                                           const features::MelStore& mel, const Options& options,
                                           const OnWindow& on_window);

}  // namespace steno::transcribe
