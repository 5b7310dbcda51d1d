// Whisper's text decoder, one step for the rows of many sequences.
// Path: models/whisper/encoder -> here -> models/whisper/decoding.
// Source: whisper/model.py TextDecoder, v20250625.
#pragma once

#include <span>

#include "models/forward_batch.h"
#include "models/whisper/cache.h"
#include "models/whisper/config.h"
#include "models/whisper/weights.h"
#include "ops/ops.h"

namespace steno::models::whisper {

// Projects the keys and values of encoded windows [B, T, D] into pages windows[0..B) of every
// layer.
void store_cross_attention(ops::Ops& ops, const DecoderWeights& w, const Config& config,
                           const Tensor& states, std::span<const std::int32_t> windows,
                           Cache& cache);

// Logits [batch.logit_rows.size(), V]. The keys and values of every row are stored on the way.
Tensor decode(ops::Ops& ops, const DecoderWeights& w, const Config& config,
              const ForwardBatch& batch, Cache& cache);

}  // namespace steno::models::whisper
