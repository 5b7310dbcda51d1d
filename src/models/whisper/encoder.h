// Whisper's audio encoder: log-mel -> states.
// Path: features/mel_store -> here -> models/whisper/decoder.
// Source: whisper/model.py AudioEncoder, v20250625.
#pragma once

#include <functional>

#include "models/whisper/config.h"
#include "models/whisper/weights.h"
#include "ops/ops.h"

namespace steno::models::whisper {

// Log-mel, time-major [B, F = 2T, M] -> states [B, T, D]. `on_pause`, if any, is called between
// layers.
Tensor encode(ops::Ops& ops, const EncoderWeights& w, const Config& config, const Tensor& mel,
              ops::ComputeType type, const std::function<void()>& on_pause);

}  // namespace steno::models::whisper
