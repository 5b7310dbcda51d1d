#include "models/whisper/checkpoint.h"

#include <fmt/core.h>

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

// The part of a layer's name in both layouts; rows of the fused matrix in units of D.
struct LayerName {
  std::string_view hugging_face;
  std::string_view ctranslate2;
  int first_block = 0;
  int num_blocks = 0;  // 0: the whole tensor
};
constexpr std::array kLayerNames = {
    LayerName{"self_attn_layer_norm", "self_attention/layer_norm"},
    LayerName{"self_attn.q_proj", "self_attention/linear_0", 0, 1},
    LayerName{"self_attn.k_proj", "self_attention/linear_0", 1, 1},
    LayerName{"self_attn.v_proj", "self_attention/linear_0", 2, 1},
    LayerName{"self_attn.out_proj", "self_attention/linear_1"},
    LayerName{"encoder_attn_layer_norm", "attention/layer_norm"},
    LayerName{"encoder_attn.q_proj", "attention/linear_0"},
    LayerName{"encoder_attn.k_proj", "attention/linear_1", 0, 1},
    LayerName{"encoder_attn.v_proj", "attention/linear_1", 1, 1},
    LayerName{"encoder_attn.out_proj", "attention/linear_2"},
    LayerName{"final_layer_norm", "ffn/layer_norm"},
    LayerName{"fc1", "ffn/linear_0"},
    LayerName{"fc2", "ffn/linear_1"},
};

std::string_view ct2_field(std::string_view module, std::string_view field) {
  if (!module.ends_with("layer_norm")) return field;
  return field == "weight" ? "gamma" : "beta";
}

// Scalars (num_heads, activation, ...) and quantisation scales come with CTranslate2's tensors.
bool may_ignore(const weights::Checkpoint& file, std::string_view name) {
  const weights::TensorInfo* tensor = file.find(name);
  return tensor != nullptr && (tensor->is_scale || tensor->shape.rank() == 0);
}

}  // namespace

Checkpoint::Checkpoint(const weights::Checkpoint& file, const Config& config)
    : file_(file), config_(config) {
  const std::vector<Declared> declared = config.layout == Layout::kHuggingFace
                                             ? declare_hugging_face(config)
                                             : declare_ctranslate2(config);
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

  const std::string_view side = name.substr(0, name.find('.'));
  const std::string_view field = name.substr(name.rfind('.') + 1);
  std::string_view module =
      name.substr(side.size() + 1, name.size() - side.size() - field.size() - 2);
  if (!module.starts_with("layers.")) {
    if (module == "embed_positions")
      return whole(fmt::format("{}/position_encodings/encodings", side));
    if (module == "embed_tokens") return whole(fmt::format("{}/embeddings/{}", side, field));
    return whole(fmt::format("{}/{}/{}", side, module, ct2_field(module, field)));
  }
  module.remove_prefix(7);
  const std::string_view layer = module.substr(0, module.find('.'));
  module.remove_prefix(layer.size() + 1);
  for (const LayerName& known : kLayerNames) {
    if (module != known.hugging_face) continue;
    Place place = whole(
        fmt::format("{}/layer_{}/{}/{}", side, layer, known.ctranslate2, ct2_field(module, field)));
    if (known.num_blocks > 0) {
      place.first_row = known.first_block * config_.d_model;
      place.num_rows = known.num_blocks * config_.d_model;
    }
    return place;
  }
  STENO_CHECK(false, "no CTranslate2 name for {}", name);
  return {};
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
