// Whisper's parameters, packed for the backend. Fields carry the checkpoint's names (Hugging Face).
// Letters: M mel bins, D model, F feed-forward, V vocabulary, T source and S target positions.
#pragma once

#include <vector>

#include "models/whisper/checkpoint.h"
#include "models/whisper/config.h"
#include "nn/attention.h"
#include "ops/ops.h"

namespace steno::models::whisper {

struct EncoderLayer {
  nn::LayerNorm self_attn_layer_norm;
  nn::SelfAttention self_attn;
  nn::LayerNorm final_layer_norm;
  nn::FeedForward feed_forward;  // fc1, fc2
};

struct EncoderWeights {
  ops::Weight conv1;       // [D, 3 M], taps outermost
  ops::Weight conv2;       // [D, 3 D]
  Tensor embed_positions;  // [T, D]
  std::vector<EncoderLayer> layers;
  nn::LayerNorm layer_norm;
};

struct CrossAttention {
  ops::Weight q_proj;    // [D, D]
  ops::Weight kv_proj;   // [2D, D]: k_proj, v_proj
  ops::Weight out_proj;  // [D, D]
};

struct DecoderLayer {
  nn::LayerNorm self_attn_layer_norm;
  nn::SelfAttention self_attn;
  nn::LayerNorm encoder_attn_layer_norm;
  CrossAttention encoder_attn;
  nn::LayerNorm final_layer_norm;
  nn::FeedForward feed_forward;
};

struct DecoderWeights {
  Tensor embed_tokens;     // [V, D] in the checkpoint's float type: gathered from
  ops::Weight proj_out;    // [V, D]: the same matrix, packed for the logits
  Tensor embed_positions;  // [S, D]
  std::vector<DecoderLayer> layers;
  nn::LayerNorm layer_norm;
};

struct Weights {
  EncoderWeights encoder;
  DecoderWeights decoder;
};

// Reads and packs tensor by tensor, so that no second copy of the model is ever in memory.
// Convolutions stay f32 under int8, as in CTranslate2: they are 3 % of the work and the most
// sensitive part.
Weights load_weights(const Checkpoint& checkpoint, const Config& config, ops::Ops& ops,
                     ops::ComputeType type);

}  // namespace steno::models::whisper
