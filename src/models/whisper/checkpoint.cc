#include "models/whisper/checkpoint.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "weights/declared.h"

namespace steno::models::whisper {
namespace {

using weights::Declared;

void declare_hf_linear(std::vector<Declared>& d, const std::string& name, std::int64_t n,
                       std::int64_t k, bool has_bias = true) {
  d.push_back({name + ".weight", Shape{n, k}});
  if (has_bias) d.push_back({name + ".bias", Shape{n}});
}

void declare_hf_norm(std::vector<Declared>& d, const std::string& name, std::int64_t n) {
  d.push_back({name + ".weight", Shape{n}});
  d.push_back({name + ".bias", Shape{n}});
}

void declare_hf_attention(std::vector<Declared>& d, const std::string& name, std::int64_t n) {
  declare_hf_linear(d, name + ".q_proj", n, n);
  declare_hf_linear(d, name + ".k_proj", n, n, /*has_bias=*/false);
  declare_hf_linear(d, name + ".v_proj", n, n);
  declare_hf_linear(d, name + ".out_proj", n, n);
}

void declare_hf_layer(std::vector<Declared>& d, const std::string& layer, std::int64_t n,
                      std::int64_t ffn, bool is_decoder) {
  declare_hf_attention(d, layer + "self_attn", n);
  declare_hf_norm(d, layer + "self_attn_layer_norm", n);
  if (is_decoder) {
    declare_hf_attention(d, layer + "encoder_attn", n);
    declare_hf_norm(d, layer + "encoder_attn_layer_norm", n);
  }
  declare_hf_linear(d, layer + "fc1", ffn, n);
  declare_hf_linear(d, layer + "fc2", n, ffn);
  declare_hf_norm(d, layer + "final_layer_norm", n);
}

std::vector<Declared> declare_hugging_face(const Config& c) {
  std::vector<Declared> d;
  const std::string encoder = c.prefix + "encoder.";
  const std::string decoder = c.prefix + "decoder.";
  d.push_back({encoder + "conv1.weight", Shape{c.d_model, c.num_mel_bins, 3}});
  d.push_back({encoder + "conv1.bias", Shape{c.d_model}});
  d.push_back({encoder + "conv2.weight", Shape{c.d_model, c.d_model, 3}});
  d.push_back({encoder + "conv2.bias", Shape{c.d_model}});
  d.push_back({encoder + "embed_positions.weight", Shape{c.max_source_positions, c.d_model}});
  for (std::int64_t i = 0; i < c.encoder_layers; ++i) {
    declare_hf_layer(d, fmt::format("{}layers.{}.", encoder, i), c.d_model, c.encoder_ffn_dim,
                     /*is_decoder=*/false);
  }
  declare_hf_norm(d, encoder + "layer_norm", c.d_model);
  d.push_back({decoder + "embed_tokens.weight", Shape{c.vocab_size, c.d_model}});
  d.push_back({decoder + "embed_positions.weight", Shape{c.max_target_positions, c.d_model}});
  for (std::int64_t i = 0; i < c.decoder_layers; ++i) {
    declare_hf_layer(d, fmt::format("{}layers.{}.", decoder, i), c.d_model, c.decoder_ffn_dim,
                     /*is_decoder=*/true);
  }
  declare_hf_norm(d, decoder + "layer_norm", c.d_model);
  d.push_back({"proj_out.weight", Shape{c.vocab_size, c.d_model}, /*optional=*/true});  // tied
  return d;
}

void declare_ct2_linear(std::vector<Declared>& d, const std::string& name, std::int64_t n,
                        std::int64_t k) {
  d.push_back({name + "/weight", Shape{n, k}});
  d.push_back({name + "/bias", Shape{n}});
}

void declare_ct2_norm(std::vector<Declared>& d, const std::string& name, std::int64_t n) {
  d.push_back({name + "/gamma", Shape{n}});
  d.push_back({name + "/beta", Shape{n}});
}

void declare_ct2_side(std::vector<Declared>& d, const std::string& side, std::int64_t num_layers,
                      std::int64_t n, std::int64_t ffn, bool is_decoder) {
  for (std::int64_t i = 0; i < num_layers; ++i) {
    const std::string layer = fmt::format("{}/layer_{}/", side, i);
    declare_ct2_norm(d, layer + "self_attention/layer_norm", n);
    declare_ct2_linear(d, layer + "self_attention/linear_0", 3 * n, n);
    declare_ct2_linear(d, layer + "self_attention/linear_1", n, n);
    if (is_decoder) {
      declare_ct2_norm(d, layer + "attention/layer_norm", n);
      declare_ct2_linear(d, layer + "attention/linear_0", n, n);
      declare_ct2_linear(d, layer + "attention/linear_1", 2 * n, n);
      declare_ct2_linear(d, layer + "attention/linear_2", n, n);
    }
    declare_ct2_norm(d, layer + "ffn/layer_norm", n);
    declare_ct2_linear(d, layer + "ffn/linear_0", ffn, n);
    declare_ct2_linear(d, layer + "ffn/linear_1", n, ffn);
  }
  declare_ct2_norm(d, side + "/layer_norm", n);
}

std::vector<Declared> declare_ctranslate2(const Config& c) {
  std::vector<Declared> d;
  d.push_back({"encoder/conv1/weight", Shape{c.d_model, c.num_mel_bins, 3}});
  d.push_back({"encoder/conv1/bias", Shape{c.d_model}});
  d.push_back({"encoder/conv2/weight", Shape{c.d_model, c.d_model, 3}});
  d.push_back({"encoder/conv2/bias", Shape{c.d_model}});
  d.push_back({"encoder/position_encodings/encodings", Shape{c.max_source_positions, c.d_model}});
  declare_ct2_side(d, "encoder", c.encoder_layers, c.d_model, c.encoder_ffn_dim, false);
  d.push_back({"decoder/embeddings/weight", Shape{c.vocab_size, c.d_model}});
  d.push_back({"decoder/position_encodings/encodings", Shape{c.max_target_positions, c.d_model}});
  declare_ct2_side(d, "decoder", c.decoder_layers, c.d_model, c.decoder_ffn_dim, true);
  d.push_back({"decoder/projection/weight", Shape{c.vocab_size, c.d_model}, /*optional=*/true});
  return d;
}

// The part of a layer's name in each layout; rows of CTranslate2's fused matrix in units of D.
struct LayerName {
  std::string_view hugging_face;
  std::string_view openai;
  std::string_view ctranslate2;
  int first_block = 0;
  int num_blocks = 0;  // 0: the whole tensor
};
constexpr std::array kLayerNames = {
    LayerName{"self_attn_layer_norm", "attn_ln", "self_attention/layer_norm"},
    LayerName{"self_attn.q_proj", "attn.query", "self_attention/linear_0", 0, 1},
    LayerName{"self_attn.k_proj", "attn.key", "self_attention/linear_0", 1, 1},
    LayerName{"self_attn.v_proj", "attn.value", "self_attention/linear_0", 2, 1},
    LayerName{"self_attn.out_proj", "attn.out", "self_attention/linear_1"},
    LayerName{"encoder_attn_layer_norm", "cross_attn_ln", "attention/layer_norm"},
    LayerName{"encoder_attn.q_proj", "cross_attn.query", "attention/linear_0"},
    LayerName{"encoder_attn.k_proj", "cross_attn.key", "attention/linear_1", 0, 1},
    LayerName{"encoder_attn.v_proj", "cross_attn.value", "attention/linear_1", 1, 1},
    LayerName{"encoder_attn.out_proj", "cross_attn.out", "attention/linear_2"},
    LayerName{"final_layer_norm", "mlp_ln", "ffn/layer_norm"},
    LayerName{"fc1", "mlp.0", "ffn/linear_0"},
    LayerName{"fc2", "mlp.2", "ffn/linear_1"},
};

const LayerName& layer_name(std::string_view module) {
  const auto* known = std::ranges::find(kLayerNames, module, &LayerName::hugging_face);
  STENO_CHECK(known != kLayerNames.end(), "no other name for {}", module);
  return *known;
}

// "encoder.layers.0.self_attn.q_proj.weight" in its parts.
struct Parts {
  std::string_view side;    // "encoder"
  std::string_view layer;   // "0"; empty outside the layers
  std::string_view module;  // "self_attn.q_proj"
  std::string_view field;   // "weight"
};

Parts parts_of(std::string_view name) {
  Parts parts;
  parts.side = name.substr(0, name.find('.'));
  parts.field = name.substr(name.rfind('.') + 1);
  parts.module =
      name.substr(parts.side.size() + 1, name.size() - parts.side.size() - parts.field.size() - 2);
  constexpr std::string_view kLayers = "layers.";
  if (!parts.module.starts_with(kLayers)) return parts;
  parts.module.remove_prefix(kLayers.size());
  parts.layer = parts.module.substr(0, parts.module.find('.'));
  parts.module.remove_prefix(parts.layer.size() + 1);
  return parts;
}

std::string openai_name(std::string_view name) {
  const Parts p = parts_of(name);
  if (!p.layer.empty()) {
    return fmt::format("{}.blocks.{}.{}.{}", p.side, p.layer, layer_name(p.module).openai, p.field);
  }
  if (p.module == "embed_positions") return fmt::format("{}.positional_embedding", p.side);
  if (p.module == "embed_tokens") return fmt::format("{}.token_embedding.{}", p.side, p.field);
  if (p.module == "layer_norm") {
    return fmt::format("{}.{}.{}", p.side, p.side == "encoder" ? "ln_post" : "ln", p.field);
  }
  return std::string(name);  // the convolutions
}

// The same tensors as in a Hugging Face file.
std::vector<Declared> declare_openai(const Config& c) {
  Config plain = c;
  plain.prefix.clear();
  std::vector<Declared> d = declare_hugging_face(plain);
  std::erase_if(d, [](const Declared& tensor) { return tensor.optional; });  // the tied proj_out
  for (Declared& tensor : d) tensor.name = c.prefix + openai_name(tensor.name);
  return d;
}

std::vector<Declared> declare(const Config& c) {
  switch (c.layout) {
    case Layout::kHuggingFace:
      return declare_hugging_face(c);
    case Layout::kCTranslate2:
      return declare_ctranslate2(c);
    case Layout::kOpenAI:
      return declare_openai(c);
  }
  return {};
}

std::string_view ct2_field(std::string_view module, std::string_view field) {
  if (!module.ends_with("layer_norm")) return field;
  return field == "weight" ? "gamma" : "beta";
}

// Scalars (num_heads, activation, ...) and quantisation scales come with CTranslate2's tensors, the
// mask of the decoder with files that early versions of openai-whisper wrote.
bool may_ignore(const weights::Checkpoint& file, std::string_view name) {
  if (name == "model_state_dict.decoder.mask") return true;
  const weights::TensorInfo* tensor = file.find(name);
  return tensor != nullptr && (tensor->is_scale || tensor->shape.rank() == 0);
}

}  // namespace

Checkpoint::Checkpoint(const weights::Checkpoint& file, const Config& config)
    : file_(file), config_(config) {
  const std::vector<Declared> declared = declare(config);
  weights::verify(file, declared, [&](std::string_view name) { return may_ignore(file, name); });
}

Checkpoint::Place Checkpoint::place_of(std::string_view name) const {
  const auto whole = [&](std::string in_file) {
    const weights::TensorInfo* tensor = file_.find(in_file);
    STENO_CHECK(tensor != nullptr, "{} was not declared", in_file);
    const std::int64_t rows = tensor->shape.dim(0);
    return Place{std::move(in_file), 0, rows};
  };
  if (config_.layout == Layout::kHuggingFace) return whole(config_.prefix + std::string(name));

  if (config_.layout == Layout::kOpenAI) return whole(config_.prefix + openai_name(name));

  const Parts p = parts_of(name);
  if (p.layer.empty()) {
    if (p.module == "embed_positions") {
      return whole(fmt::format("{}/position_encodings/encodings", p.side));
    }
    if (p.module == "embed_tokens") return whole(fmt::format("{}/embeddings/{}", p.side, p.field));
    return whole(fmt::format("{}/{}/{}", p.side, p.module, ct2_field(p.module, p.field)));
  }
  const LayerName& known = layer_name(p.module);
  Place place = whole(fmt::format("{}/layer_{}/{}/{}", p.side, p.layer, known.ctranslate2,
                                  ct2_field(p.module, p.field)));
  if (known.num_blocks > 0) {
    place.first_row = known.first_block * config_.d_model;
    place.num_rows = known.num_blocks * config_.d_model;
  }
  return place;
}

void Checkpoint::read_into(std::string_view name, float* out) const {
  const Place place = place_of(name);
  file_.read_f32_rows(place.name, place.first_row, place.num_rows, out);
}

Tensor Checkpoint::read(std::string_view name) const {
  const Place place = place_of(name);
  const Shape& shape = file_.find(place.name)->shape;
  Tensor t;
  switch (shape.rank()) {
    case 1:
      t = Tensor::make({place.num_rows});
      break;
    case 2:
      t = Tensor::make({place.num_rows, shape.dim(1)});
      break;
    default:
      t = Tensor::make({place.num_rows, shape.dim(1), shape.dim(2)});
      break;
  }
  file_.read_f32_rows(place.name, place.first_row, place.num_rows, t.data<float>());
  return t;
}

Tensor Checkpoint::read_table(std::string_view name) const {
  const Place place = place_of(name);
  switch (file_.find(place.name)->dtype) {
    case DType::kF16:
    case DType::kBF16:
      return file_.read(place.name);
    default:
      return read(name);
  }
}

}  // namespace steno::models::whisper
