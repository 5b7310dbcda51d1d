#include "models/whisper/encoder.h"

#include "nn/attention.h"

namespace steno::models::whisper {

Tensor encode(ops::Ops& ops, const EncoderWeights& w, const Config& config, const Tensor& mel,
              ops::ComputeType type, const std::function<void()>& on_pause) {
  constexpr auto kGelu = ops::Activation::kGelu;
  Tensor x = ops.conv1d(mel, w.conv1, {.stride = 1, .activation = kGelu});  // [B, F, D]
  x = ops.conv1d(x, w.conv2, {.stride = 2, .activation = kGelu});           // [B, T, D]
  x = ops.add(x, w.embed_positions.slice(0, x.dim(1)));
  for (const EncoderLayer& layer : w.layers) {
    x = nn::add_self_attention(ops, x, nn::layer_norm(ops, x, layer.self_attn_layer_norm),
                               layer.self_attn, config.encoder_attention_heads, type);
    x = nn::add_feed_forward(ops, x, layer.final_layer_norm, layer.feed_forward);
    if (on_pause) on_pause();
  }
  return nn::layer_norm(ops, x, w.layer_norm);
}

}  // namespace steno::models::whisper
