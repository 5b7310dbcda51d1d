// Blocks that several models share: attention projections and the feed-forward pair.
//
// Weight fields carry the checkpoint's names (Hugging Face).
// Path: models/<family> -> here -> ops.
#pragma once

#include "ops/ops.h"

namespace steno::nn {

struct LayerNorm {
  Tensor weight;  // [D]
  Tensor bias;    // [D]
};

struct SelfAttention {
  ops::Weight qkv_proj;  // [3D, D]: q_proj, k_proj, v_proj one below the other
  ops::Weight out_proj;  // [D, D]
};

struct FeedForward {
  ops::Weight fc1;  // [F, D]
  ops::Weight fc2;  // [D, F]
};

constexpr float kLayerNormEps = 1e-5F;

Tensor layer_norm(ops::Ops& ops, const Tensor& x, const LayerNorm& w);

// x + out_proj(attention(x_norm)) without a mask. x, x_norm [B, T, D] -> [B, T, D].
Tensor add_self_attention(ops::Ops& ops, const Tensor& x, const Tensor& x_norm,
                          const SelfAttention& w, int num_heads, ops::ComputeType type);

// x + fc2(gelu(fc1(layer_norm(x)))). x [..., D] -> [..., D].
Tensor add_feed_forward(ops::Ops& ops, const Tensor& x, const LayerNorm& norm,
                        const FeedForward& w);

// The scale of q.k for heads of D / H columns: E^-0.5.
float attention_scale(std::int64_t d_model, int num_heads);

}  // namespace steno::nn
