#include "models/whisper/weights.h"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>

namespace steno::models::whisper {
namespace {

using ops::ComputeType;

class Loader {
 public:
  Loader(const Checkpoint& checkpoint, const Config& config, ops::Ops& ops, ComputeType type)
      : checkpoint_(checkpoint), config_(config), ops_(ops), type_(type) {}

  EncoderWeights encoder() const {
    EncoderWeights w;
    w.conv1 = conv("encoder.conv1", config_.num_mel_bins);
    w.conv2 = conv("encoder.conv2", config_.d_model);
    w.embed_positions = checkpoint_.read("encoder.embed_positions.weight");
    for (std::int64_t i = 0; i < config_.encoder_layers; ++i) {
      const std::string layer = fmt::format("encoder.layers.{}.", i);
      w.layers.push_back({
          .self_attn_layer_norm = norm(layer + "self_attn_layer_norm"),
          .self_attn = self_attention(layer + "self_attn"),
          .final_layer_norm = norm(layer + "final_layer_norm"),
          .feed_forward = feed_forward(layer),
      });
    }
    w.layer_norm = norm("encoder.layer_norm");
    return w;
  }

  DecoderWeights decoder() const {
    DecoderWeights w;
    w.embed_tokens = checkpoint_.read_table("decoder.embed_tokens.weight");
    w.proj_out = ops_.pack(checkpoint_.read("decoder.embed_tokens.weight"), {}, type_);
    w.embed_positions = checkpoint_.read("decoder.embed_positions.weight");
    for (std::int64_t i = 0; i < config_.decoder_layers; ++i) {
      const std::string layer = fmt::format("decoder.layers.{}.", i);
      w.layers.push_back({
          .self_attn_layer_norm = norm(layer + "self_attn_layer_norm"),
          .self_attn = self_attention(layer + "self_attn"),
          .encoder_attn_layer_norm = norm(layer + "encoder_attn_layer_norm"),
          .encoder_attn = cross_attention(layer + "encoder_attn"),
          .final_layer_norm = norm(layer + "final_layer_norm"),
          .feed_forward = feed_forward(layer),
      });
    }
    w.layer_norm = norm("decoder.layer_norm");
    return w;
  }

 private:
  nn::LayerNorm norm(const std::string& name) const {
    return {checkpoint_.read(name + ".weight"), checkpoint_.read(name + ".bias")};
  }

  // Projections of D inputs and D outputs each, one below the other. k_proj has no bias: zeros.
  ops::Weight fused(const std::string& module,
                    std::initializer_list<std::string_view> parts) const {
    const std::int64_t d = config_.d_model;
    const auto n = static_cast<std::int64_t>(parts.size()) * d;
    Tensor matrix = Tensor::make({n, d});
    Tensor bias = Tensor::zeros({n});
    std::int64_t row = 0;
    for (const std::string_view part : parts) {
      const std::string name = fmt::format("{}.{}", module, part);
      checkpoint_.read_into(name + ".weight", matrix.data<float>() + row * d);
      if (part != "k_proj") checkpoint_.read_into(name + ".bias", bias.data<float>() + row);
      row += d;
    }
    return ops_.pack(matrix, bias, type_);
  }

  nn::SelfAttention self_attention(const std::string& name) const {
    return {.qkv_proj = fused(name, {"q_proj", "k_proj", "v_proj"}),
            .out_proj = fused(name, {"out_proj"})};
  }

  CrossAttention cross_attention(const std::string& name) const {
    return {.q_proj = fused(name, {"q_proj"}),
            .kv_proj = fused(name, {"k_proj", "v_proj"}),
            .out_proj = fused(name, {"out_proj"})};
  }

  ops::Weight linear(const std::string& name) const {
    return ops_.pack(checkpoint_.read(name + ".weight"), checkpoint_.read(name + ".bias"), type_);
  }

  nn::FeedForward feed_forward(const std::string& layer) const {
    return {.fc1 = linear(layer + "fc1"), .fc2 = linear(layer + "fc2")};
  }

  // [D, C, 3] of the checkpoint -> [D, 3 * C], taps outermost, which is how a time-major input lies
  // in memory.
  ops::Weight conv(const std::string& name, std::int64_t num_channels) const {
    const std::int64_t d = config_.d_model;
    constexpr std::int64_t kTaps = 3;
    const Tensor in = checkpoint_.read(name + ".weight");
    Tensor out = Tensor::make({d, kTaps * num_channels});
    const float* from = in.data<float>();
    float* to = out.data<float>();
    for (std::int64_t n = 0; n < d; ++n) {
      for (std::int64_t c = 0; c < num_channels; ++c) {
        for (std::int64_t tap = 0; tap < kTaps; ++tap) {
          to[(n * kTaps + tap) * num_channels + c] = from[(n * num_channels + c) * kTaps + tap];
        }
      }
    }
    return ops_.pack(out, checkpoint_.read(name + ".bias"), type_);
  }

  const Checkpoint& checkpoint_;
  const Config& config_;
  ops::Ops& ops_;
  ComputeType type_;
};

}  // namespace

Weights load_weights(const Checkpoint& checkpoint, const Config& config, ops::Ops& ops,
                     ops::ComputeType type) {
  const Loader loader(checkpoint, config, ops, type);
  return {.encoder = loader.encoder(), .decoder = loader.decoder()};
}

}  // namespace steno::models::whisper
