// The sizes of a Whisper checkpoint. Fields carry the keys of Hugging Face's config.json. A
// CTranslate2 folder has none, so there they are read off the tensors' shapes; an OpenAI file has
// its own, in `dims`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "models/whisper/alignment_heads.h"
#include "weights/checkpoint.h"

namespace steno::models::whisper {

constexpr int kFramesPerPosition = 2;  // conv2's stride: frames of 10 ms in one state

enum class Layout { kHuggingFace, kCTranslate2, kOpenAI };

struct Config {
  Layout layout = Layout::kHuggingFace;
  std::string prefix;  // of the names in the file: "model.", "model_state_dict." or none

  std::int64_t num_mel_bins = 80;
  std::int64_t d_model = 0;
  std::int64_t encoder_layers = 0;
  std::int64_t decoder_layers = 0;
  int encoder_attention_heads = 0;
  int decoder_attention_heads = 0;
  std::int64_t encoder_ffn_dim = 0;
  std::int64_t decoder_ffn_dim = 0;
  std::int64_t vocab_size = 0;
  std::int64_t max_source_positions = 1500;
  std::int64_t max_target_positions = 448;

  // What the folder says of languages, if it does: Hugging Face's generation_config.json has the
  // flag, CTranslate2's config.json the id of the first language token.
  std::optional<bool> is_multilingual;
  std::optional<int> first_language_token;

  std::vector<AlignmentHead> alignment_heads;  // never empty

  // Models whose decoder was cut down (turbo, the distilled ones) were trained to transcribe only.
  bool has_pruned_decoder() const { return decoder_layers < encoder_layers; }
};

// Throws Error(kInvalidModel) when a size is missing, absurd, or does not fit another.
Config load_config(const std::filesystem::path& folder, const weights::Checkpoint& checkpoint);

}  // namespace steno::models::whisper
