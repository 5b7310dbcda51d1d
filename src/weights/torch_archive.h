// What torch.save writes: a zip archive with a pickle, and a stored entry for each storage.
//
//   NAME/data.pkl   the object: here dictionaries of tensors and numbers
//   NAME/data/KEY   a storage's bytes, little-endian
// Names of nested dictionaries are joined by dots: {"dims": {"n_mels": 80}} is the number
// "dims.n_mels". Numbers go to Contents::numbers, tensors are read in place.
// Source: torch 2.13 torch/serialization.py; openai-whisper v20250625 load_model (the dictionary).
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "weights/checkpoint.h"

namespace steno::weights {

// Throws Error(kInvalidModel) naming the file, the tensor and what is wrong.
std::unique_ptr<Checkpoint> open_torch(std::unique_ptr<ByteSource> file);

// The .pt files of a folder, sorted; none when it cannot be read.
std::vector<std::filesystem::path> torch_files(const std::filesystem::path& folder);

}  // namespace steno::weights
