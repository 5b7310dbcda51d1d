// Files that the real converters wrote (tests/golden/whisper/<model>): every element type and
// layout must give the numbers of the f32 file within that type's rounding.
#include <gtest/gtest.h>

#include <cmath>

#include "unit/weights/model_files.h"

namespace steno::weights {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> model_folders() {
  std::vector<fs::path> folders;
  std::error_code missing;
  for (const auto& entry :
       fs::directory_iterator(STENO_SOURCE_DIR "/tests/golden/whisper", missing)) {
    if (fs::exists(entry.path() / "ct2-float32" / "model.bin")) folders.push_back(entry.path());
  }
  return folders;
}

// Half a unit in the last place. Floats: relative to the value (11 and 8 bits with the implicit
// one), and f16 has subnormals of 2^-24 below. Quantised: half a step of 1 / scale, and a little
// more since scale and quotient are rounded as well.
float tolerance(DType dtype, float value, float step) {
  if (dtype == DType::kF16) return std::abs(value) * std::ldexp(1.0f, -11) + std::ldexp(1.0f, -25);
  if (dtype == DType::kBF16) return std::abs(value) * std::ldexp(1.0f, -8);
  return 0.501f * step;
}

// What one unit of each row's integers is worth; 0 where nothing is quantised.
std::vector<float> steps_of(const Checkpoint& checkpoint, const TensorInfo& tensor,
                            std::size_t num_rows) {
  std::vector<float> steps(num_rows, 0.0f);
  if (tensor.scale < 0) return steps;
  const auto scales = floats_of(checkpoint.read_f32(checkpoint.tensors()[tensor.scale].name));
  for (std::size_t row = 0; row < num_rows; ++row)
    steps[row] = 1.0f / scales[scales.size() == 1 ? 0 : row];
  return steps;
}

// Number of elements that are off; `wanted` is the f32 tensor.
std::size_t count_off(const Checkpoint& checkpoint, const TensorInfo& tensor,
                      const std::vector<float>& wanted) {
  const std::vector<float> got = floats_of(checkpoint.read_f32(tensor.name));
  if (got.size() != wanted.size()) return wanted.size();
  const std::size_t num_rows = tensor.shape.rank() == 0 ? 1 : tensor.shape.dim(0);
  const std::vector<float> steps = steps_of(checkpoint, tensor, num_rows);
  std::size_t num_off = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const float step = steps[i / (got.size() / num_rows)];
    num_off += !(std::abs(got[i] - wanted[i]) <= tolerance(tensor.dtype, wanted[i], step));
  }
  return num_off;
}

void expect_same_numbers(const fs::path& folder, const Checkpoint& reference) {
  const auto checkpoint = open(folder);
  std::size_t num_compared = 0;
  for (const TensorInfo& tensor : checkpoint->tensors()) {
    if (tensor.is_scale) continue;
    ASSERT_NE(reference.find(tensor.name), nullptr) << folder << " " << tensor.name;
    EXPECT_EQ(tensor.shape, reference.find(tensor.name)->shape) << tensor.name;
    const std::vector<float> wanted = floats_of(reference.read_f32(tensor.name));
    EXPECT_EQ(count_off(*checkpoint, tensor, wanted), 0u) << folder << " " << tensor.name;
    ++num_compared;
  }
  EXPECT_EQ(num_compared, reference.tensors().size()) << folder;
}

TEST(Converters, EveryCTranslate2TypeGivesTheSameNumbers) {
  if (model_folders().empty()) GTEST_SKIP() << "tests/golden/whisper has no models";
  for (const fs::path& model : model_folders()) {
    const auto reference = open(model / "ct2-float32");
    for (const auto& entry : fs::directory_iterator(model)) {
      if (!entry.path().filename().string().starts_with("ct2-")) continue;
      expect_same_numbers(entry.path(), *reference);
    }
  }
}

TEST(Converters, EverySafetensorsLayoutGivesTheSameNumbers) {
  if (model_folders().empty()) GTEST_SKIP() << "tests/golden/whisper has no models";
  for (const fs::path& model : model_folders()) {
    const auto reference = open(model / "hf");
    for (const auto& entry : fs::directory_iterator(model)) {
      if (!entry.path().filename().string().starts_with("hf-")) continue;
      expect_same_numbers(entry.path(), *reference);
    }
  }
}

// CTranslate2 fuses q, k and v by rows: a slice of the fused matrix is the Hugging Face matrix.
TEST(Converters, BothFormatsHoldTheSameModel) {
  if (model_folders().empty()) GTEST_SKIP() << "tests/golden/whisper has no models";
  for (const fs::path& model : model_folders()) {
    const auto ct2 = open(model / "ct2-float32");
    const auto hf = open(model / "hf");
    EXPECT_EQ(floats_of(ct2->read_f32("decoder/projection/weight")),
              floats_of(hf->read_f32("model.decoder.embed_tokens.weight")));
    const std::string fused = "encoder/layer_0/self_attention/linear_0/weight";
    std::int64_t first_row = 0;
    for (const char* part : {"q_proj", "k_proj", "v_proj"}) {
      const Tensor wanted =
          hf->read_f32(fmt::format("model.encoder.layers.0.self_attn.{}.weight", part));
      std::vector<float> rows(static_cast<std::size_t>(wanted.num_elements()));
      ct2->read_f32_rows(fused, first_row, wanted.dim(0), rows.data());
      EXPECT_EQ(rows, floats_of(wanted)) << model << " " << part;
      first_row += wanted.dim(0);
    }
    EXPECT_EQ(first_row, ct2->find(fused)->shape.dim(0));
  }
}

}  // namespace
}  // namespace steno::weights
