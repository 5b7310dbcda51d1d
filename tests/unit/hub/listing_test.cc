#include "hub/listing.h"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace steno::hub {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kCommit(40, 'c');
const std::string kSha1(40, '1');
const std::string kSha256(64, '2');

// As GET /api/models/openai/whisper-tiny/revision/main?blobs=true gives it, cut short.
std::string answer(const std::string& siblings) {
  return fmt::format(R"({{"_id":"63","id":"openai/whisper-tiny","sha":"{}","private":false,)"
                     R"("siblings":[{}],"usedStorage":1}})",
                     kCommit, siblings);
}
std::string small(const std::string& name, int size = 7) {
  return fmt::format(R"({{"rfilename":"{}","size":{},"blobId":"{}"}})", name, size, kSha1);
}
std::string large(const std::string& name) {
  return fmt::format(R"({{"rfilename":"{}","size":9,"blobId":"{}",)"
                     R"("lfs":{{"sha256":"{}","size":3000000000,"pointerSize":135}}}})",
                     name, kSha1, kSha256);
}
std::string listed(const std::vector<std::string>& rows) {
  std::string all;
  for (const std::string& row : rows) all += (all.empty() ? "" : ",") + row;
  return answer(all);
}

std::vector<std::string> chosen(const std::vector<std::string>& rows) {
  std::vector<std::string> names;
  for (const RemoteFile& file : choose_files(parse_listing(listed(rows), "hub"), "hub")) {
    names.push_back(file.name);
  }
  return names;
}

std::string failure(const std::string& text) {
  try {
    choose_files(parse_listing(text, "hub: org/name"), "hub: org/name");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Listing, SizesAndHashes) {
  const Listing listing = parse_listing(listed({small("config.json"), large("model.bin")}), "hub");
  EXPECT_EQ(listing.commit, kCommit);
  ASSERT_EQ(listing.files.size(), 2U);
  EXPECT_EQ(listing.files[0].size_bytes, 7U);
  EXPECT_EQ(listing.files[0].hash, kSha1);
  EXPECT_EQ(listing.files[1].size_bytes, 3'000'000'000U);
  EXPECT_EQ(listing.files[1].hash, kSha256);
}

TEST(Listing, PrefersSafetensorsAndTakesNoPickles) {
  EXPECT_THAT(chosen({large("pytorch_model.bin"), large("model.bin"), large("model.safetensors"),
                      large("model.fp32-00001-of-00002.safetensors"), small("tokenizer.json"),
                      small("README.md"), small("onnx/config.json"), small("config.json")}),
              ElementsAre("config.json", "tokenizer.json", "model.safetensors"));
  EXPECT_THAT(chosen({large("model-00001-of-00002.safetensors"), small("config.json"),
                      small("model.safetensors.index.json")}),
              ElementsAre("config.json", "model.safetensors.index.json"));
  EXPECT_THAT(chosen({large("model.bin"), small("vocabulary.json"), small("config.json")}),
              ElementsAre("config.json", "vocabulary.json", "model.bin"));
  EXPECT_THAT(failure(listed({large("pytorch_model.bin"), small("config.json")})),
              HasSubstr("the repository has pytorch_model.bin, config.json"));
  EXPECT_THAT(failure(listed({})), HasSubstr("the repository is empty"));
}

TEST(Listing, ShardsMustBeListed) {
  const Listing listing =
      parse_listing(listed({large("a.safetensors"), large("b.safetensors")}), "hub");
  EXPECT_EQ(shards_of(listing, {"b.safetensors"}, "hub").at(0).name, "b.safetensors");
  EXPECT_THROW(shards_of(listing, {"c.safetensors"}, "hub"), Error);
}

TEST(Listing, RefusesWhatMakesNoSense) {
  for (const char* text : {"", "{}", "[]", "null", "<html>", R"({"sha":"main","siblings":[]})",
                           R"({"sha":5,"siblings":[]})"}) {
    EXPECT_THAT(failure(text), HasSubstr("hub: org/name: the hub's answer makes no sense")) << text;
  }
  for (const char* row :
       {"{}", "5", "null", R"({"rfilename":5})", R"({"rfilename":"../x"})", R"({"rfilename":"/x"})",
        R"({"rfilename":"x/"})", R"({"rfilename":"x/./y"})", R"({"rfilename":"x\\y"})",
        R"({"rfilename":"x\u0000y"})"}) {
    EXPECT_THAT(failure(listed({row})), HasSubstr("which is refused")) << row;
  }
}

TEST(Listing, FilesThatAreFetchedNeedAHashAndASize) {
  const std::string rest = R"(,"blobId":")" + kSha1 + R"("})";
  for (const std::string& row :
       {std::string(R"({"rfilename":"config.json"})"),
        R"({"rfilename":"config.json","size":-1)" + rest,
        R"({"rfilename":"config.json","size":1.5)" + rest,
        R"({"rfilename":"config.json","size":7,"blobId":")" + kSha256 + R"("})",
        std::string(R"({"rfilename":"config.json","size":7,"lfs":{"sha256":"x","size":7}})")}) {
    EXPECT_THAT(failure(listed({row, large("model.bin")})), HasSubstr("without its size or hash"))
        << row;
  }
  EXPECT_THAT(failure(listed({small("config.json", 100 << 20)})), HasSubstr("has 100 MiB"));
}

}  // namespace
}  // namespace steno::hub
