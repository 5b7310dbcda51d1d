// The decoder heads whose attention follows the audio from word to word.
//
// A model folder lists them (generation_config.json, CTranslate2's config.json); OpenAI's own files
// do not, so the released sizes have a table here.
// Path: models/whisper/config -> here -> models/whisper/alignment.
// Source: whisper/__init__.py _ALIGNMENT_HEADS, whisper/model.py Whisper.__init__, v20250625.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace steno::models::whisper {

struct AlignmentHead {
  int layer = 0;
  int head = 0;

  friend bool operator==(const AlignmentHead&, const AlignmentHead&) = default;
};

struct DecoderSize {
  std::int64_t num_layers = 0;
  std::int64_t num_heads = 0;
  std::int64_t vocab_size = 0;
};

// Of the key "alignment_heads": [[layer, head], ...]. Empty when there is none, or when it names
// heads that this decoder has not: models cut from larger ones keep the list of those.
std::vector<AlignmentHead> listed_alignment_heads(const nlohmann::json& config,
                                                  const DecoderSize& size);

// For a decoder without a list. Of an unknown size: all heads of the upper half of the layers.
std::vector<AlignmentHead> default_alignment_heads(const DecoderSize& size);

}  // namespace steno::models::whisper
