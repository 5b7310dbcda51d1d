// The safetensors format, one file or shards with an index.
//
// File: u64 little-endian header length | JSON {name: {dtype, shape, data_offsets: [begin, end)}} |
// data, where offsets count from the end of the header. Index: {"weight_map": {name: file}}.
// Source: the safetensors format description (README of huggingface/safetensors, "Format").
// DIFFERS: holes between tensors are accepted; overlaps, as there, are not.
#pragma once

#include <filesystem>
#include <memory>

#include "weights/checkpoint.h"

namespace steno::weights {

// Throws Error(kInvalidModel) naming the file, the tensor and what is wrong.
std::unique_ptr<Checkpoint> open_safetensors(std::unique_ptr<ByteSource> file);

// `index` is the path of model.safetensors.index.json; the shards lie beside it. Throws as above,
// and Error(kNotFound) naming a shard that is not there.
std::unique_ptr<Checkpoint> open_safetensors_shards(const std::filesystem::path& index);

// The shards that an index names, in order. Throws Error(kInvalidModel) when a name is not that of
// a plain file beside the index.
std::vector<std::string> shard_names(const std::filesystem::path& index);

}  // namespace steno::weights
