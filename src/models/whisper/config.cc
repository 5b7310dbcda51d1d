#include "models/whisper/config.h"

#include <fmt/core.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace steno::models::whisper {
namespace {

using nlohmann::json;

// An empty object when there is no such file.
json load_json(const std::filesystem::path& path) {
  if (!std::filesystem::is_regular_file(path)) return json::object();
  json parsed = steno::json::parse(file::read(path), path.string());
  if (!parsed.is_object()) {
    throw Error(ErrorCode::kInvalidModel, "{}: expected a JSON object", path.string());
  }
  return parsed;
}

std::int64_t size_in(const json& object, const char* key, const std::filesystem::path& path) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number_integer()) {
    throw Error(ErrorCode::kInvalidModel, "{}: \"{}\" is missing or not a whole number",
                path.string(), key);
  }
  // TRAP: as a double, for get<std::int64_t>() would wrap an unsigned value above 2^63 around.
  if (std::abs(it->get<double>()) > std::numeric_limits<int>::max()) {
    throw Error(ErrorCode::kInvalidModel, "{}: \"{}\" is {}, which is too much", path.string(), key,
                it->dump());
  }
  return it->get<std::int64_t>();
}

DecoderSize decoder_size(const Config& c) {
  return {c.decoder_layers, c.decoder_attention_heads, c.vocab_size};
}

Config from_hugging_face(const std::filesystem::path& folder,
                         const weights::Checkpoint& checkpoint) {
  const std::filesystem::path path = folder / "config.json";
  if (!std::filesystem::is_regular_file(path)) {
    throw Error(ErrorCode::kInvalidModel, "{}: no config.json beside the weights", folder.string());
  }
  const json object = load_json(path);
  if (object.value("model_type", json()) != "whisper") {
    throw Error(ErrorCode::kInvalidModel, "{}: \"model_type\" is {}, expected \"whisper\"",
                path.string(), object.value("model_type", json()).dump());
  }
  Config c;
  c.layout = Layout::kHuggingFace;
  c.prefix = checkpoint.find("model.encoder.conv1.weight") != nullptr ? "model." : "";
  c.num_mel_bins = size_in(object, "num_mel_bins", path);
  c.d_model = size_in(object, "d_model", path);
  c.encoder_layers = size_in(object, "encoder_layers", path);
  c.decoder_layers = size_in(object, "decoder_layers", path);
  c.encoder_attention_heads = static_cast<int>(size_in(object, "encoder_attention_heads", path));
  c.decoder_attention_heads = static_cast<int>(size_in(object, "decoder_attention_heads", path));
  c.encoder_ffn_dim = size_in(object, "encoder_ffn_dim", path);
  c.decoder_ffn_dim = size_in(object, "decoder_ffn_dim", path);
  c.vocab_size = size_in(object, "vocab_size", path);
  c.max_source_positions = size_in(object, "max_source_positions", path);
  c.max_target_positions = size_in(object, "max_target_positions", path);
  const json generation = load_json(folder / "generation_config.json");
  const auto flag = generation.find("is_multilingual");
  if (flag != generation.end() && flag->is_boolean()) c.is_multilingual = flag->get<bool>();
  c.alignment_heads = listed_alignment_heads(generation, decoder_size(c));
  return c;
}

std::int64_t dim_of(const weights::Checkpoint& checkpoint, const std::string& name, int rank,
                    int dim) {
  const weights::TensorInfo* tensor = checkpoint.find(name);
  if (tensor == nullptr || tensor->shape.rank() != rank) {
    throw Error(ErrorCode::kInvalidModel, "{}: no tensor {} of rank {}: is this a Whisper model?",
                checkpoint.description(), name, rank);
  }
  return tensor->shape.dim(dim);
}

std::int64_t count_layers(const weights::Checkpoint& checkpoint, const std::string& side) {
  std::int64_t layers = 0;
  while (checkpoint.find(side + "/layer_" + std::to_string(layers) + "/ffn/linear_0/weight") !=
         nullptr) {
    ++layers;
  }
  return layers;
}

int num_heads(const weights::Checkpoint& checkpoint, const std::string& name) {
  const weights::TensorInfo* tensor = checkpoint.find(name);
  if (tensor == nullptr || tensor->shape.rank() != 0) {
    throw Error(ErrorCode::kInvalidModel, "{}: no scalar {}", checkpoint.description(), name);
  }
  float heads = 0;
  checkpoint.read_f32_rows(name, 0, 1, &heads);
  return static_cast<int>(heads);
}

Config from_ctranslate2(const std::filesystem::path& folder,
                        const weights::Checkpoint& checkpoint) {
  Config c;
  c.layout = Layout::kCTranslate2;
  c.d_model = dim_of(checkpoint, "encoder/conv1/weight", 3, 0);
  c.num_mel_bins = dim_of(checkpoint, "encoder/conv1/weight", 3, 1);
  c.encoder_layers = count_layers(checkpoint, "encoder");
  c.decoder_layers = count_layers(checkpoint, "decoder");
  c.encoder_attention_heads = num_heads(checkpoint, "encoder/num_heads");
  c.decoder_attention_heads = num_heads(checkpoint, "decoder/num_heads");
  c.encoder_ffn_dim = dim_of(checkpoint, "encoder/layer_0/ffn/linear_0/weight", 2, 0);
  c.decoder_ffn_dim = dim_of(checkpoint, "decoder/layer_0/ffn/linear_0/weight", 2, 0);
  c.vocab_size = dim_of(checkpoint, "decoder/embeddings/weight", 2, 0);
  c.max_source_positions = dim_of(checkpoint, "encoder/position_encodings/encodings", 2, 0);
  c.max_target_positions = dim_of(checkpoint, "decoder/position_encodings/encodings", 2, 0);
  const json object = load_json(folder / "config.json");
  const auto ids = object.find("lang_ids");
  if (ids != object.end() && ids->is_array() && !ids->empty() && ids->front().is_number_integer()) {
    c.first_language_token = ids->front().get<int>();
  }
  c.alignment_heads = listed_alignment_heads(object, decoder_size(c));
  return c;
}

// The key in OpenAI's `dims`, for the table of sizes in a .pt file.
std::int64_t dims_number(const weights::Checkpoint& checkpoint, const char* key) {
  const std::optional<std::int64_t> value = checkpoint.find_number(fmt::format("dims.{}", key));
  if (!value) {
    throw Error(ErrorCode::kInvalidModel,
                "{}: has no number dims[\"{}\"]: expected OpenAI's {{\"dims\", "
                "\"model_state_dict\"}}",
                checkpoint.description(), key);
  }
  if (*value < 0 || *value > std::numeric_limits<int>::max()) {
    throw Error(ErrorCode::kInvalidModel, "{}: dims[\"{}\"] is {}", checkpoint.description(), key,
                *value);
  }
  return *value;
}

Config from_openai(const weights::Checkpoint& checkpoint) {
  Config c;
  c.layout = Layout::kOpenAI;
  c.prefix = "model_state_dict.";
  c.num_mel_bins = dims_number(checkpoint, "n_mels");
  c.d_model = dims_number(checkpoint, "n_audio_state");
  c.encoder_layers = dims_number(checkpoint, "n_audio_layer");
  c.decoder_layers = dims_number(checkpoint, "n_text_layer");
  c.encoder_attention_heads = static_cast<int>(dims_number(checkpoint, "n_audio_head"));
  c.decoder_attention_heads = static_cast<int>(dims_number(checkpoint, "n_text_head"));
  c.encoder_ffn_dim = 4 * c.d_model;
  c.decoder_ffn_dim = 4 * c.d_model;
  c.vocab_size = dims_number(checkpoint, "n_vocab");
  c.max_source_positions = dims_number(checkpoint, "n_audio_ctx");
  c.max_target_positions = dims_number(checkpoint, "n_text_ctx");
  return c;
}

// Finds out the layout by a tensor that each has.
Config read_config(const std::filesystem::path& folder, const weights::Checkpoint& checkpoint) {
  if (checkpoint.find("encoder/conv1/weight") != nullptr) {
    return from_ctranslate2(folder, checkpoint);
  }
  if (checkpoint.find("model_state_dict.encoder.conv1.weight") != nullptr) {
    return from_openai(checkpoint);
  }
  return from_hugging_face(folder, checkpoint);
}

void check_sizes(const Config& c, std::string_view where) {
  const auto require = [&](bool holds, std::string_view what) {
    if (!holds) throw Error(ErrorCode::kInvalidModel, "{}: {}", where, what);
  };
  const auto within = [](std::int64_t x, std::int64_t low, std::int64_t high) {
    return low <= x && x <= high;
  };
  require(c.num_mel_bins == 80 || c.num_mel_bins == 128,
          fmt::format("{} mel bins; Whisper has 80 or 128", c.num_mel_bins));
  require(within(c.d_model, 8, 16384), fmt::format("d_model is {}", c.d_model));
  require(within(c.encoder_layers, 1, 256) && within(c.decoder_layers, 1, 256),
          fmt::format("{} encoder and {} decoder layers", c.encoder_layers, c.decoder_layers));
  require(within(c.encoder_attention_heads, 1, 256) && within(c.decoder_attention_heads, 1, 256) &&
              c.d_model % c.encoder_attention_heads == 0 &&
              c.d_model % c.decoder_attention_heads == 0,
          fmt::format("{} and {} attention heads do not divide d_model {}",
                      c.encoder_attention_heads, c.decoder_attention_heads, c.d_model));
  require(within(c.encoder_ffn_dim, 1, 1 << 20) && within(c.decoder_ffn_dim, 1, 1 << 20),
          "the feed-forward size is out of range");
  require(within(c.vocab_size, 1510, 1 << 22), fmt::format("a vocabulary of {}", c.vocab_size));
  require(within(c.max_source_positions, 8, 1 << 16) && within(c.max_target_positions, 8, 1 << 16),
          "the number of positions is out of range");
}

}  // namespace

Config load_config(const std::filesystem::path& folder, const weights::Checkpoint& checkpoint) {
  Config c = read_config(folder, checkpoint);
  check_sizes(c, checkpoint.description());
  if (c.alignment_heads.empty()) c.alignment_heads = default_alignment_heads(decoder_size(c));
  return c;
}

}  // namespace steno::models::whisper
