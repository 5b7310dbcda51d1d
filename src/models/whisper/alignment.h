// When each token of a text was spoken: the text is given to the decoder once more, and the
// attention of a few heads to the audio is followed from token to token.
//
// Path: models/whisper/model (align) -> here -> decoder (attention), time_warp (where each begins).
// Source: whisper/timing.py find_alignment, v20250625.
// Threads: as Model.
#pragma once

#include <span>
#include <vector>

#include "models/model.h"
#include "models/whisper/cache.h"
#include "models/whisper/config.h"
#include "models/whisper/vocabulary.h"
#include "models/whisper/weights.h"
#include "ops/ops.h"

namespace steno::models::whisper {

struct Aligner {
  const DecoderWeights& weights;
  const Config& config;
  const Vocabulary& vocabulary;
  Cache& cache;  // only the encoded windows are read
};

// Requires windows of that cache, languages that the vocabulary has, and texts that fit the decoder
// with the tokens around them.
std::vector<Alignment> align(ops::Ops& ops, const Aligner& aligner,
                             std::span<const AlignRequest> requests);

}  // namespace steno::models::whisper
