#include "models/whisper/decoder.h"

#include "nn/attention.h"

namespace steno::models::whisper {
namespace {

// x + out_proj(self-attention over the sequence so far); stores this step's keys and values.
Tensor add_causal_attention(ops::Ops& ops, const Tensor& x, const Tensor& x_norm,
                            const nn::SelfAttention& w, const ops::AttentionOptions& options,
                            const ForwardBatch& batch, ops::KvPages& pages) {
  const std::int64_t d = x.dim(-1);
  const Tensor qkv = ops.linear(x_norm, w.qkv_proj);  // [R, 3D]
  for (const ForwardBatch::PageCopy& copy : batch.copies) {
    ops.copy_kv_page(pages, copy.from, copy.to);
  }
  ops.store_kv(pages, {qkv, d, 2 * d}, {qkv, 2 * d, 3 * d}, batch.slots);
  const Tensor heads = ops.attention_paged({qkv, 0, d}, pages, batch.self_spans, options);
  return ops.linear(heads, w.out_proj, {.residual = &x});  // [R, D]
}

// x + out_proj(attention of the queries q [R, D] over the encoded window).
Tensor add_cross_attention(ops::Ops& ops, const Tensor& x, const Tensor& q, const CrossAttention& w,
                           const ops::AttentionOptions& options, const ForwardBatch& batch,
                           const ops::KvPages& pages) {
  const Tensor heads = ops.attention_paged(q, pages, batch.cross_spans, options);
  return ops.linear(heads, w.out_proj, {.residual = &x});
}

}  // namespace

void store_cross_attention(ops::Ops& ops, const DecoderWeights& w, const Config& config,
                           const Tensor& states, std::span<const std::int32_t> windows,
                           Cache& cache) {
  const std::int64_t d = config.d_model;
  const auto length = static_cast<std::int32_t>(states.dim(1));
  std::vector<ops::KvSlot> slots;
  slots.reserve(windows.size() * static_cast<std::size_t>(length));
  for (const std::int32_t window : windows) {
    for (std::int32_t t = 0; t < length; ++t) slots.push_back({window, t});
  }
  for (std::size_t i = 0; i < w.layers.size(); ++i) {
    const Tensor kv = ops.linear(states, w.layers[i].encoder_attn.kv_proj);  // [B, T, 2D]
    ops.store_kv(cache.cross()[i], {kv, 0, d}, {kv, d, 2 * d}, slots);
  }
}

ops::AttentionOptions cross_attention_options(const Config& config) {
  return {.num_heads = config.decoder_attention_heads,
          .scale = nn::attention_scale(config.d_model, config.decoder_attention_heads)};
}

Tensor decode_states(ops::Ops& ops, const DecoderWeights& w, const Config& config,
                     const ForwardBatch& batch, const DecoderPages& pages,
                     const OnCrossQueries& on_cross_queries) {
  const ops::AttentionOptions attention = cross_attention_options(config);  // and of its own keys
  Tensor x = ops.add(ops.embedding(w.embed_tokens, batch.tokens),
                     ops.embedding(w.embed_positions, batch.positions));  // [R, D]
  for (std::size_t i = 0; i < w.layers.size(); ++i) {
    const DecoderLayer& layer = w.layers[i];
    x = add_causal_attention(ops, x, nn::layer_norm(ops, x, layer.self_attn_layer_norm),
                             layer.self_attn, attention, batch, pages.self[i]);
    const Tensor q = ops.linear(nn::layer_norm(ops, x, layer.encoder_attn_layer_norm),
                                layer.encoder_attn.q_proj);
    if (on_cross_queries) on_cross_queries(i, q);
    x = add_cross_attention(ops, x, q, layer.encoder_attn, attention, batch, pages.cross[i]);
    x = nn::add_feed_forward(ops, x, layer.final_layer_norm, layer.feed_forward);
  }
  return x;
}

Tensor project_logits(ops::Ops& ops, const DecoderWeights& w, const Tensor& states) {
  return ops.linear(nn::layer_norm(ops, states, w.layer_norm), w.proj_out);
}

Tensor decode(ops::Ops& ops, const DecoderWeights& w, const Config& config,
              const ForwardBatch& batch, Cache& cache) {
  const Tensor x = decode_states(ops, w, config, batch, {cache.self(), cache.cross()});  // [R, D]
  return project_logits(ops, w, ops.embedding(x, batch.logit_rows));  // of a gather of rows: [L, V]
}

}  // namespace steno::models::whisper
