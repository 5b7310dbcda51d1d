#include "weights/model_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <cstdlib>

#include "unit/weights/model_files.h"

namespace steno::weights {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// HOME is an empty folder and no variable leads elsewhere.
class ModelCache : public testing::Test {
 protected:
  ModelCache() {
    for (const char* name : {"STENO_MODELS", "XDG_CACHE_HOME", "HF_HUB_CACHE", "HF_HOME"}) {
      ::unsetenv(name);
    }
    set("HOME", home_.path());
  }

  static void set(const char* name, const std::filesystem::path& value) {
    ::setenv(name, value.c_str(), 1);
  }

  TempFolder home_;
};

TEST_F(ModelCache, TheFolderFollowsTheEnvironment) {
  EXPECT_EQ(models_folder(), home_.path() / ".cache/steno/models");
  set("XDG_CACHE_HOME", "/x");
  EXPECT_EQ(models_folder(), "/x/steno/models");
  set("STENO_MODELS", "/models");
  EXPECT_EQ(models_folder(), "/models");
}

TEST_F(ModelCache, WithoutHomeTheSystemKnowsIt) {
  ::unsetenv("HOME");
  const passwd* user = ::getpwuid(::geteuid());
  if (user == nullptr) GTEST_SKIP() << "this user is not in the system's list";
  EXPECT_EQ(models_folder(), std::filesystem::path(user->pw_dir) / ".cache/steno/models");
}

TEST_F(ModelCache, ListsOwnModelsWithWhatIsMissing) {
  home_.write(".cache/steno/models/whisper-base/model.bin", "12345");
  home_.write(".cache/steno/models/whisper-base/config.json", "{}");
  home_.write(".cache/steno/models/broken/tokenizer.json", "{}");
  home_.write(".cache/steno/models/.whisper-tiny.partial/model.bin", "");
  const std::vector<ModelEntry> models = list_models();
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].name, "broken");
  EXPECT_EQ(models[0].layout, "");
  EXPECT_EQ(models[0].missing, "model.safetensors or model.bin, config.json");
  EXPECT_EQ(models[1].name, "whisper-base");
  EXPECT_EQ(models[1].layout, "ctranslate2");
  EXPECT_EQ(models[1].missing, "");
  EXPECT_EQ(models[1].size_bytes, 7u);
}

TEST_F(ModelCache, ReadsTheHubCache) {
  const std::string hub = ".cache/huggingface/hub/";
  home_.write(hub + "models--org--one/refs/main", "rev2\n");
  home_.write(hub + "models--org--one/snapshots/rev1/model.safetensors", "");
  home_.write(hub + "models--org--one/snapshots/rev2/config.json", "{}");
  home_.write(hub + "models--org--one/snapshots/rev2/model.safetensors.index.json",
              R"({"weight_map":{"a":"s1.safetensors","b":"s2.safetensors"}})");
  home_.write(hub + "models--org--one/snapshots/rev2/s2.safetensors", "");
  home_.write(hub + "datasets--org--speech/snapshots/rev1/data", "");
  const std::vector<ModelEntry> models = list_models();
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(models[0].name, "org/one");
  EXPECT_EQ(models[0].path, home_.path() / hub / "models--org--one/snapshots/rev2");
  EXPECT_EQ(models[0].layout, "safetensors shards");
  EXPECT_EQ(models[0].missing, "s1.safetensors");
  EXPECT_EQ(find_model("org/one"), models[0].path);
  EXPECT_EQ(find_model("one"), models[0].path);
}

TEST_F(ModelCache, HubFolderFollowsTheEnvironment) {
  home_.write("h/hub/models--org--one/snapshots/r/model.safetensors", "");
  set("HF_HOME", home_.path() / "h");
  EXPECT_EQ(list_models().size(), 1u);
  home_.write("c/models--org--two/snapshots/r/model.safetensors", "");
  set("HF_HUB_CACHE", home_.path() / "c");
  EXPECT_EQ(list_models().at(0).name, "org/two");
}

TEST_F(ModelCache, AnExistingPathWinsOverAName) {
  home_.write(".cache/steno/models/whisper-base/model.bin", "");
  EXPECT_EQ(find_model("whisper-base"), home_.path() / ".cache/steno/models/whisper-base");
  EXPECT_EQ(find_model(home_.path().string()), home_.path());
}

TEST_F(ModelCache, ALastPartThatTwoHaveIsNotAName) {
  const std::string hub = ".cache/huggingface/hub/";
  home_.write(hub + "models--a--one/snapshots/r/model.safetensors", "");
  home_.write(hub + "models--b--one/snapshots/r/model.safetensors", "");
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [] { find_model("one"); }),
              HasSubstr("there are 'a/one' (incomplete: config.json), 'b/one'"));
}

TEST_F(ModelCache, SaysWhatIsThereAndHowToFetch) {
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [] { find_model("nope\n"); }),
              AllOf(HasSubstr(R"(no model 'nope\x0a')"), HasSubstr("there is none yet"),
                    HasSubstr("tools/fetch_model.py"), HasSubstr(home_.path().string())));
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [] { find_model(""); }), HasSubstr("no model ''"));
}

}  // namespace
}  // namespace steno::weights
