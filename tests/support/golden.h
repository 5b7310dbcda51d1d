// Golden files: arrays (safetensors) and decisions (JSON) that the reference implementations made.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "tensor/tensor.h"
#include "weights/checkpoint.h"

namespace steno::golden {

inline std::filesystem::path folder() {
  return std::filesystem::path(STENO_SOURCE_DIR) / "tests" / "golden";
}

inline nlohmann::json load_json(const std::filesystem::path& path) {
  return nlohmann::json::parse(file::read(path));
}

// One tiny model: its folders, arrays and decisions.
struct Model {
  explicit Model(const std::string& name)
      : path(folder() / "whisper" / name),
        meta(load_json(path / "meta.json")),
        arrays(weights::open(path / "ref.safetensors")) {}

  Tensor array(const std::string& name) const { return arrays->read(name); }

  std::filesystem::path path;
  nlohmann::json meta;
  std::unique_ptr<weights::Checkpoint> arrays;
};

// Some folders hold weights alone.
inline bool has_tokenizer(const std::filesystem::path& model_folder) {
  for (const char* name :
       {"tokenizer.json", "vocabulary.txt", "vocabulary.json", "gpt2.tiktoken"}) {
    if (std::filesystem::exists(model_folder / name)) return true;
  }
  return false;
}

// |a - b| / |b| over all elements (Frobenius norms).
inline double relative_error(std::span<const float> a, std::span<const float> b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    difference += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
    norm += double{b[i]} * b[i];
  }
  return std::sqrt(difference / norm);
}

inline std::span<const float> values(const Tensor& t) {
  return {t.data<float>(), static_cast<std::size_t>(t.num_elements())};
}

}  // namespace steno::golden
