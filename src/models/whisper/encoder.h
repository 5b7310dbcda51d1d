// Whisper's audio encoder: log-mel -> states.
// Path: features/mel_store -> here -> models/whisper/decoder.
// Source: whisper/model.py AudioEncoder, v20250625.
#pragma once

#include "models/whisper/config.h"
#include "models/whisper/weights.h"
#include "ops/ops.h"

namespace steno::models::whisper {

// Log-mel, time-major [B, F = 2T, M] -> states [B, T, D].
Tensor encode(ops::Ops& ops, const EncoderWeights& w, const Config& config, const Tensor& mel,
              ops::ComputeType type);

}  // namespace steno::models::whisper
