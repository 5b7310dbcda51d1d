#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "unit/weights/model_files.h"

namespace steno::weights {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string small_safetensors() {
  return safetensors_file({{"a", "F32", {2}, bytes_of<float>({1, 2})}});
}
std::string small_ct2() {
  return ct2_file({{"a", "0", {2}, bytes_of<float>({1, 2})}});
}
std::string small_torch() {
  return torch_file(pickled({{"a", pickled_tensor("Float", "0", 2, 0, {2}, {1})}}),
                    {{"0", bytes_of<float>({1, 2})}});
}

TEST(Open, FoldersAndFilesOfEachFormat) {
  const TempFolder folder;
  folder.write("hf/model.safetensors", small_safetensors());
  folder.write("ct2/model.bin", small_ct2());
  folder.write("other/weights.safetensors", small_safetensors());
  folder.write("other/unnamed", small_safetensors());
  folder.write("openai/base.pt", small_torch());
  for (const char* name : {"hf", "hf/model.safetensors", "ct2", "ct2/model.bin", "openai",
                           "openai/base.pt", "other/weights.safetensors", "other/unnamed"}) {
    const auto checkpoint = open(folder.path() / name);
    EXPECT_EQ(floats_of(checkpoint->read_f32("a")), (std::vector<float>{1, 2})) << name;
    EXPECT_THAT(std::string(checkpoint->description()), HasSubstr(folder.path().string()));
  }
}

TEST(Open, ANamedPipeIsNotWaitedFor) {
  const TempFolder folder;
  const std::filesystem::path pipe = folder.path() / "base.pt";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [&] { open(pipe); }),
              HasSubstr("is not a regular file"));
}

TEST(Open, SaysWhatItFoundAndWhatItExpected) {
  const TempFolder folder;
  const auto error = [&] { return message_of(ErrorCode::kNotFound, [&] { open(folder.path()); }); };
  EXPECT_THAT(error(), AllOf(HasSubstr("has no model.safetensors"), HasSubstr("is empty")));
  folder.write("config.json", "{}");
  folder.write("pytorch_model.bin", "PK");
  EXPECT_THAT(error(), AllOf(HasSubstr("'config.json', 'pytorch_model.bin'"),
                             HasSubstr("get the model's safetensors")));
  const TempFolder two;
  two.write("base.pt", "PK");
  two.write("small.pt", "PK");
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [&] { open(two.path()); }),
              HasSubstr("2 .pt files, 'base.pt' and 'small.pt'"));
  for (int i = 0; i < 30; ++i) folder.write("file" + std::to_string(i), "");
  EXPECT_THAT(error(), HasSubstr("and 20 more"));
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [&] { open(folder.path() / "nowhere"); }),
              HasSubstr("there is no such file or folder"));
}

TEST(Open, ForeignFormatsAreToldApart) {
  const TempFolder folder;
  const auto error = [&](const std::string& name, std::string_view content) {
    const auto path = folder.write(name, content);
    return message_of(ErrorCode::kInvalidModel, [&] { open(path); });
  };
  EXPECT_THAT(error("base.pt", "PK\x03\x04 and so on"),
              HasSubstr("a zip archive without its end record"));
  EXPECT_THAT(error("old.pt", "\x80\x02 and so on"), HasSubstr("Python pickle"));
  EXPECT_THAT(error("model.gguf", "GGUF and so on"), HasSubstr("GGUF"));
  EXPECT_THAT(error("ggml-base.bin", "lmgg and so on"), HasSubstr("whisper.cpp"));
  EXPECT_THAT(error("model.safetensors", "version https://git-lfs.example/spec/v1\n"),
              HasSubstr("run: git lfs pull"));
  EXPECT_THAT(error("empty", ""), HasSubstr("the version at byte 0 takes 4 bytes"));
}

TEST(Open, AFileThatShrinksWhileInUseIsAnError) {
  const TempFolder folder;
  const auto path = folder.write("model.safetensors", small_safetensors());
  const auto checkpoint = open(path);
  std::filesystem::resize_file(path, 20);
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel, [&] { checkpoint->read_f32("a"); }),
              HasSubstr("changed while in use?"));
}

TEST(Open, ManyThreadsMayRead) {
  const TempFolder folder;
  std::vector<RawTensor> tensors;
  for (int i = 0; i < 16; ++i) {
    const std::vector<float> values(1000, static_cast<float>(i));
    tensors.push_back({"t" + std::to_string(i), "F32", {10, 100}, bytes_of(values)});
  }
  folder.write("model.safetensors", safetensors_file(tensors));
  const auto checkpoint = open(folder.path());
  std::vector<int> num_wrong(4, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 64; ++i) {
        const Tensor tensor = checkpoint->read_f32("t" + std::to_string((i + t) % 16));
        for (const float value : floats_of(tensor)) {
          num_wrong[t] += value != static_cast<float>((i + t) % 16);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace steno::weights
