// All windows of a recording at once: cut at real pauses, decoded in batches, and read again where
// text is missing although there is speech.
//
// Path: transcribe/window_reader -> here (engine) -> transcribe/job.
//
// Each window is decoded with timestamps and for itself, so nothing depends on its neighbours in
// the batch. What decoding leaves unread (it stops at a pause, or its last timestamp lies before
// the last speech) becomes a window of its own, with the text so far as its prompt.
// DIFFERS from whisper.transcribe: the features of a window are scaled by its own loudness, its
// prompt is the initial one, and of attempts that all fail the best is taken, not the last.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "models/model.h"
#include "transcribe/options.h"
#include "transcribe/read_ahead.h"
#include "transcribe/transcript.h"

namespace steno::transcribe {

struct ParallelResult {
  std::vector<Segment> segments;  // ids count them
  std::vector<Interval> missing;  // speech without text
  std::string language;           // of most of the speech; options.language when given
  double language_probability = 0;
};

// `done_s` rises: all of the audio before it is done.
using OnDone = std::function<void(double done_s)>;

// At most `max_in_flight` windows are with the engine at a time; `next_window` is called on a
// thread of its own. Requires options that model.check() took. Throws what it and the engine throw.
ParallelResult transcribe_parallel(const models::Model& model, engine::Job& job,
                                   const NextWindow& next_window, const Options& options,
                                   int max_in_flight, const OnDone& on_done);

}  // namespace steno::transcribe
