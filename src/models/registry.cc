#include "models/registry.h"

#include "models/whisper/model.h"
#include "weights/checkpoint.h"

namespace steno::models {

std::unique_ptr<Model> load_model(const std::filesystem::path& folder, ops::ComputeType type,
                                  ops::Ops& ops) {
  const std::unique_ptr<weights::Checkpoint> checkpoint = weights::open(folder);
  return whisper::load(folder, *checkpoint, type, ops);
}

}  // namespace steno::models
