// Cut and damaged files of every format: an Error or a checkpoint whose tensors all lie inside the
// file, never a crash and never an allocation out of proportion (the sanitizer build enforces the
// limit below).
#include <gtest/gtest.h>

#include <functional>
#include <random>

#include "unit/weights/model_files.h"

// Read by the address sanitizer's runtime; unused elsewhere.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() {
  return "max_allocation_size_mb=256:allocator_may_return_null=0";
}

namespace steno::weights {
namespace {

using Opener = std::function<std::unique_ptr<Checkpoint>(const std::string&)>;

std::string safetensors_sample() {
  return safetensors_file({
      {"encoder.weight", "F32", {2, 3}, std::string(24, '\1')},
      {"encoder.bias", "BF16", {3}, std::string(6, '\2')},
      {"mask", "BOOL", {5}, std::string(5, '\3')},
      {"step", "I64", {}, std::string(8, '\4')},
  });
}

std::string ct2_sample() {
  return ct2_file(
      {
          {"encoder/weight", "1", {2, 3}, std::string(6, '\1')},
          {"encoder/weight_scale", "0", {2}, bytes_of<float>({2.0f, 3.0f})},
          {"encoder/bias", "4", {3}, std::string(6, '\2')},
          {"num_heads", "2", {}, std::string(2, '\3')},
      },
      {{"decoder/weight", "encoder/weight"}});
}

std::string torch_sample() {
  const std::string dims = pickled_dict({{"n_mels", pickled_number(80)}});
  const std::string state =
      pickled_dict({{"encoder.weight", pickled_tensor("Float", "0", 8, 0, {2, 3}, {3, 1})},
                    {"encoder.bias", pickled_tensor("Half", "1", 3, 0, {3}, {1})}});
  return torch_file(pickled({{"dims", dims}, {"model_state_dict", state}}),
                    {{"0", std::string(32, '\1')}, {"1", std::string(6, '\2')}});
}

// True when it opened; whatever opened must read.
bool open_and_read(const Opener& opener, const std::string& bytes) {
  try {
    const auto checkpoint = opener(bytes);
    for (const TensorInfo& tensor : checkpoint->tensors()) {
      if (!tensor.unreadable.empty()) continue;
      const Tensor raw = checkpoint->read(tensor.name);
      EXPECT_LE(tensor.offset + raw.size_bytes(), bytes.size());
      checkpoint->read_f32(tensor.name);
    }
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidModel) << error.what();
    return false;
  }
}

void cut_everywhere(const Opener& opener, const std::string& bytes) {
  EXPECT_TRUE(open_and_read(opener, bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(open_and_read(opener, bytes.substr(0, size))) << "cut at " << size;
  }
}

void flip_at_random(const Opener& opener, const std::string& bytes) {
  constexpr int kRounds = 5000;
  std::mt19937 random(20250101);
  int num_refused = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::string damaged = bytes;
    const int num_flips = 1 + static_cast<int>(random() % 4);
    for (int i = 0; i < num_flips; ++i) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    num_refused += open_and_read(opener, damaged) ? 0 : 1;
  }
  EXPECT_GT(num_refused, kRounds / 4);  // the flips do hit the table
}

TEST(Malformed, SafetensorsCutAtEveryByte) {
  cut_everywhere(open_safetensors_bytes, safetensors_sample());
}
TEST(Malformed, SafetensorsWithFlippedBytes) {
  flip_at_random(open_safetensors_bytes, safetensors_sample());
}
TEST(Malformed, CTranslate2CutAtEveryByte) {
  cut_everywhere(open_ct2_bytes, ct2_sample());
}
TEST(Malformed, CTranslate2WithFlippedBytes) {
  flip_at_random(open_ct2_bytes, ct2_sample());
}

TEST(Malformed, TorchCutAtEveryByte) {
  cut_everywhere(open_torch_bytes, torch_sample());
}
TEST(Malformed, TorchWithFlippedBytes) {
  flip_at_random(open_torch_bytes, torch_sample());
}

// The sum over the pickle hides it from random damage: here the sum is right each time.
TEST(Malformed, TorchWithFlippedBytesInItsPickle) {
  const std::string pickle = pickled({{"a", pickled_tensor("Float", "0", 8, 0, {2, 3}, {3, 1})},
                                      {"b", pickled_dict({{"n", pickled_number(80)}})}});
  const auto open_damaged = [](const std::string& damaged) {
    return open_torch_bytes(torch_file(damaged, {{"0", std::string(32, '\1')}}));
  };
  std::mt19937 random(20250102);
  int num_refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = pickle;
    damaged[random() % damaged.size()] = static_cast<char>(random());
    try {
      open_damaged(damaged);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidModel) << error.what();
      ++num_refused;
    }
  }
  EXPECT_GT(num_refused, 500);
}

}  // namespace
}  // namespace steno::weights
