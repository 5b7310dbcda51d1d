#include "nn/attention.h"

#include <cmath>

namespace steno::nn {

Tensor layer_norm(ops::Ops& ops, const Tensor& x, const LayerNorm& w) {
  return ops.layer_norm(x, w.weight, w.bias, kLayerNormEps);
}

Tensor add_self_attention(ops::Ops& ops, const Tensor& x, const Tensor& x_norm,
                          const SelfAttention& w, int num_heads, ops::ComputeType type) {
  const std::int64_t d = x.dim(-1);
  const Tensor qkv = ops.linear(x_norm, w.qkv_proj);  // [B, T, 3D]
  const Tensor heads =
      ops.attention({qkv, 0, d}, {qkv, d, 2 * d}, {qkv, 2 * d, 3 * d},
                    {.num_heads = num_heads, .scale = attention_scale(d, num_heads)}, type);
  return ops.linear(heads, w.out_proj, {.residual = &x});  // [B, T, D]
}

Tensor add_feed_forward(ops::Ops& ops, const Tensor& x, const LayerNorm& norm,
                        const FeedForward& w) {
  return ops.feed_forward(x, {.gamma = norm.weight,
                              .beta = norm.bias,
                              .eps = kLayerNormEps,
                              .up = w.fc1,
                              .activation = ops::Activation::kGelu,
                              .down = w.fc2});
}

float attention_scale(std::int64_t d_model, int num_heads) {
  return 1.0F / std::sqrt(static_cast<float>(d_model / num_heads));
}

}  // namespace steno::nn
