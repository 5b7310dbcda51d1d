// A model's files as named tensors. No model knowledge: names and shapes are what the files say.
//
// A file format is a table of contents (safetensors.h, ctranslate2.h, torch_archive.h parse one
// each); from there on all formats are alike, so there is one class. Opening reads the tables only;
// a tensor's bytes are read when they are asked for, so the memory needed is that of the tensors
// the caller keeps. Path: model files -> here -> models/<family>, which declares the names it wants
// (declared.h). Threads: everything here is const and may be called from many threads at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"
#include "weights/byte_source.h"

namespace steno::weights {

struct TensorInfo {
  std::string name;
  DType dtype = DType::kF32;
  Shape shape;             // rank 0 for a scalar
  std::string unreadable;  // why read() refuses it ("element type F64 ..."); empty: it can be read

  int scale = -1;         // of a quantised tensor: where its scale is in tensors()
  bool is_scale = false;  // this one is the scale of another

  int source = 0;  // the file that holds the bytes, and where
  std::uint64_t offset = 0;
};

// What a format's parser finds.
struct Contents {
  std::string description;  // "CTranslate2 WhisperSpec: /models/base/model.bin"
  std::vector<std::unique_ptr<ByteSource>> sources;
  std::vector<TensorInfo> tensors;
  std::map<std::string, std::string, std::less<>> aliases;   // other name -> name in `tensors`
  std::map<std::string, std::int64_t, std::less<>> numbers;  // beside the tensors: "dims.n_mels"
};

class Checkpoint {
 public:
  // Throws Error(kInvalidModel) when a name occurs twice or an alias leads nowhere.
  explicit Checkpoint(Contents contents);

  // In file order, without aliases.
  const std::vector<TensorInfo>& tensors() const { return contents_.tensors; }
  // Format and path, for messages.
  std::string_view description() const { return contents_.description; }

  // Names may be aliases. The result of an alias carries the name of its target.
  const TensorInfo* find(std::string_view name) const;

  std::optional<std::int64_t> find_number(std::string_view name) const;

  // The elements as the file has them. Throws Error(kInvalidModel) when there is no such tensor,
  // when it is `unreadable`, or when the file has changed.
  Tensor read(std::string_view name) const;

  // As f32. Quantised tensors are given back as numbers: q / scale, one scale for each row (each
  // index of the first dimension) or one for all.
  Tensor read_f32(std::string_view name) const;

  // Rows [first_row, first_row + num_rows) of read_f32(name), into out[num_rows * elements of a
  // row]. A scalar counts as one row. Requires the range to lie inside the tensor.
  void read_f32_rows(std::string_view name, std::int64_t first_row, std::int64_t num_rows,
                     float* out) const;

 private:
  const TensorInfo& readable(std::string_view name) const;
  void read_elements(const TensorInfo& tensor, std::int64_t first, std::int64_t size,
                     float* out) const;
  void divide_by_scale(const TensorInfo& tensor, std::int64_t first_row, std::int64_t num_rows,
                       float* out) const;

  Contents contents_;
  std::map<std::string, int, std::less<>> index_by_name_;
};

// Finds out what is there: a folder with model.bin (CTranslate2), model.safetensors,
// model.safetensors.index.json (shards) or one .pt file (torch), or one such file. Throws
// Error(kNotFound) or Error(kInvalidModel) that say what was found and what was expected.
std::unique_ptr<Checkpoint> open(const std::filesystem::path& folder_or_file);

}  // namespace steno::weights
