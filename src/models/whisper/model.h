// Whisper behind the verbs of models/model.h.
//
// Reading order: config -> checkpoint -> weights (loading), encoder -> decoder (one forward pass),
// vocabulary and decoding/ (which token comes next), sequence (one window's text), model (here: all
// of it behind the verbs).
#pragma once

#include <filesystem>
#include <memory>

#include "models/model.h"
#include "weights/checkpoint.h"

namespace steno::models::whisper {

// Throws Error(kInvalidModel) naming what does not fit.
std::unique_ptr<Model> load(const std::filesystem::path& folder,
                            const weights::Checkpoint& checkpoint, ops::ComputeType type,
                            ops::Ops& ops);

}  // namespace steno::models::whisper
