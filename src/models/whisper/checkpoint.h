// Whisper's tensors under their Hugging Face names, whichever layout the folder has.
//
// CTranslate2 fuses q, k, v of the decoder's and encoder's self-attention (linear_0, rows q|k|v)
// and k, v of the cross-attention (linear_1, rows k|v); there a Hugging Face name means some rows
// of a fused matrix. OpenAI's own files have the same tensors under other names.
// Source: ctranslate2 4.8.5 converters/transformers.py WhisperLoader; docs/models/whisper.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/whisper/config.h"
#include "weights/checkpoint.h"

namespace steno::models::whisper {

class Checkpoint {
 public:
  // Verifies that every tensor is there in the right shape. Throws one Error(kInvalidModel) that
  // names all that are missing, unknown or misshaped.
  Checkpoint(const weights::Checkpoint& file, const Config& config);

  // Names without the "model." prefix: "encoder.layers.0.fc1.weight". Read as f32 in the shape
  // declared.
  Tensor read(std::string_view name) const;
  // Into rows that the caller provides (a part of a fused matrix).
  void read_into(std::string_view name, float* out) const;
  // As the file has it when that is a float type, else f32: for tables that are only gathered from.
  Tensor read_table(std::string_view name) const;

 private:
  struct Place {
    std::string name;  // in the file
    std::int64_t first_row = 0;
    std::int64_t num_rows = 0;
  };
  Place place_of(std::string_view name) const;

  const weights::Checkpoint& file_;
  Config config_;
};

}  // namespace steno::models::whisper
