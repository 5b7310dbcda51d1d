// Model folder -> model. The one place that knows the families.
#pragma once

#include <filesystem>
#include <memory>

#include "models/model.h"
#include "ops/ops.h"

namespace steno::models {

// Throws Error(kNotFound) when there is nothing at `folder`, Error(kInvalidModel) when what is
// there is no model that steno reads, or is damaged.
std::unique_ptr<Model> load_model(const std::filesystem::path& folder, ops::ComputeType type,
                                  ops::Ops& ops);

}  // namespace steno::models
