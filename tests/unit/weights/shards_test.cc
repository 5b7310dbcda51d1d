#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/weights/model_files.h"
#include "weights/safetensors.h"

namespace steno::weights {
namespace {

using testing::HasSubstr;

constexpr const char* kIndex = "model.safetensors.index.json";

std::string one_float(const std::string& name, float value) {
  return safetensors_file({{name, "F32", {1}, bytes_of_one(value)}});
}

TEST(Shards, TensorsOfAllFilesAreOneCheckpoint) {
  const TempFolder folder;
  folder.write("model-1.safetensors", one_float("a", 1));
  folder.write("model-2.safetensors", one_float("b", 2));
  folder.write(kIndex, R"({"metadata":{"total_size":8},
                           "weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}})");
  const auto checkpoint = open(folder.path());
  EXPECT_EQ(checkpoint->tensors().size(), 2u);
  EXPECT_EQ(floats_of(checkpoint->read_f32("a")), (std::vector<float>{1}));
  EXPECT_EQ(floats_of(checkpoint->read_f32("b")), (std::vector<float>{2}));
  EXPECT_THAT(std::string(checkpoint->description()), HasSubstr(kIndex));
}

TEST(Shards, AMissingShardIsNamed) {
  const TempFolder folder;
  folder.write(kIndex, R"({"weight_map":{"a":"model-1.safetensors"}})");
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [&] { open(folder.path()); }),
              HasSubstr("the shard 'model-1.safetensors' is missing"));
}

TEST(Shards, ATensorThatIsNotWhereTheIndexSaysIsNamed) {
  const TempFolder folder;
  folder.write("model-1.safetensors", one_float("a", 1));
  folder.write(kIndex, R"({"weight_map":{"a":"model-1.safetensors","b":"model-1.safetensors"}})");
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel, [&] { open(folder.path()); }),
              HasSubstr("tensor 'b' should be in 'model-1.safetensors'"));
}

TEST(Shards, TheSameTensorInTwoShards) {
  const TempFolder folder;
  folder.write("model-1.safetensors", one_float("a", 1));
  folder.write("model-2.safetensors",
               safetensors_file({{"a", "U8", {1}, "x"}, {"b", "U8", {1}, "x"}}));
  folder.write(kIndex, R"({"weight_map":{"a":"model-1.safetensors","b":"model-2.safetensors"}})");
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel, [&] { open(folder.path()); }),
              HasSubstr("the name 'a' occurs twice"));
}

TEST(Shards, NamesThatLeaveTheFolderAreRefused) {
  const TempFolder folder;
  const auto outside = folder.write("outside.safetensors", one_float("a", 1));
  for (const std::string& name :
       {std::string("../outside.safetensors"), outside.string(), std::string(".."),
        std::string("."), std::string(""), std::string("a\\\\b"), std::string("a\\u0000b")}) {
    folder.write(std::string("model/") + kIndex, R"({"weight_map":{"a":")" + name + "\"}}");
    EXPECT_THAT(message_of(ErrorCode::kInvalidModel, [&] { open(folder.path() / "model"); }),
                HasSubstr("is not the name of a file beside the index"))
        << name;
  }
}

TEST(Shards, MalformedIndexes) {
  const TempFolder folder;
  for (const char* text : {"", "[]", "{}", R"({"weight_map":[]})", R"({"weight_map":{"a":7}})"}) {
    folder.write(kIndex, text);
    EXPECT_THAT(message_of(ErrorCode::kInvalidModel, [&] { open(folder.path()); }),
                HasSubstr(kIndex))
        << text;
  }
}

}  // namespace
}  // namespace steno::weights
