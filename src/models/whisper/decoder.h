// Whisper's text decoder, one step for the rows of many sequences.
// Path: models/whisper/encoder -> here -> models/whisper/decoding.
// Source: whisper/model.py TextDecoder, v20250625.
#pragma once

#include <functional>
#include <span>
#include <vector>

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

// The keys and values that a step works with, by layer.
struct DecoderPages {
  std::vector<ops::KvPages>& self;
  const std::vector<ops::KvPages>& cross;
};

// Told of each layer's queries [R, D] to the encoded windows.
using OnCrossQueries = std::function<void(std::size_t layer, const Tensor& queries)>;

// States of every row after the last layer [R, D]. The keys and values of every row are stored on
// the way.
Tensor decode_states(ops::Ops& ops, const DecoderWeights& w, const Config& config,
                     const ForwardBatch& batch, const DecoderPages& pages,
                     const OnCrossQueries& on_cross_queries = {});

// states [L, D] -> logits [L, V].
Tensor project_logits(ops::Ops& ops, const DecoderWeights& w, const Tensor& states);

ops::AttentionOptions cross_attention_options(const Config& config);

// Logits [batch.logit_rows.size(), V]. The keys and values of every row are stored on the way.
Tensor decode(ops::Ops& ops, const DecoderWeights& w, const Config& config,
              const ForwardBatch& batch, Cache& cache);

}  // namespace steno::models::whisper
