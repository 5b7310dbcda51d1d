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
    for (const char* name :
         {"STENO_MODELS", "XDG_CACHE_HOME", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME"}) {
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
  home_.write(".cache/steno/models/whisper-base/vocabulary.txt", "");
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
  EXPECT_EQ(models[0].missing, "s1.safetensors, tokenizer.json");
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [] { find_model("one"); }),
              AllOf(HasSubstr("'org/one' lacks s1.safetensors, tokenizer.json"),
                    HasSubstr("`steno models pull org/one`")));
}

// The folder of the snapshot.
std::string write_snapshot(const TempFolder& home, const std::string& model,
                           const std::string& commit) {
  const std::string snapshot =
      ".cache/huggingface/hub/models--" + model + "/snapshots/" + commit + "/";
  for (const char* name : {"config.json", "tokenizer.json", "model.safetensors"}) {
    home.write(snapshot + name, "");
  }
  return home.path() / snapshot.substr(0, snapshot.size() - 1);
}

TEST_F(ModelCache, FindsHubModelsByNameRevisionAndShortName) {
  const std::string hub = ".cache/huggingface/hub/";
  const std::string first = write_snapshot(home_, "openai--whisper-large-v3", "rev1");
  const std::string second = write_snapshot(home_, "openai--whisper-large-v3", "rev2");
  home_.write(hub + "models--openai--whisper-large-v3/refs/main", "rev1");
  home_.write(hub + "models--openai--whisper-large-v3/refs/v2", "rev2");
  for (const char* name : {"openai/whisper-large-v3", "whisper-large-v3", "large-v3", "large",
                           "openai/whisper-large-v3@main", "large-v3@rev1"}) {
    EXPECT_EQ(find_model(name), first) << name;
  }
  EXPECT_EQ(find_model("openai/whisper-large-v3@v2"), second);
  EXPECT_EQ(find_model("large-v3@rev2"), second);
  for (const char* name : {"large-v3@", "large-v3@v3", "large-v3@../v2", "large-v3@/etc/hostname",
                           "openai/../whisper-large-v3", "large-v3@."}) {
    EXPECT_THAT(message_of(ErrorCode::kNotFound, [&] { find_model(name); }),
                HasSubstr("there is no model"))
        << name;
  }
}

TEST_F(ModelCache, ATorchFileIsAModel) {
  home_.write(".cache/steno/models/mine/base.pt", "");
  EXPECT_EQ(list_models().at(0).layout, "openai");
  EXPECT_EQ(find_model("mine"), home_.path() / ".cache/steno/models/mine");
}

TEST_F(ModelCache, HubFolderFollowsTheEnvironment) {
  home_.write("h/hub/models--org--one/snapshots/r/model.safetensors", "");
  set("HF_HOME", home_.path() / "h");
  EXPECT_EQ(list_models().size(), 1u);
  home_.write("c/models--org--two/snapshots/r/model.safetensors", "");
  set("HF_HUB_CACHE", home_.path() / "c");
  EXPECT_EQ(list_models().at(0).name, "org/two");
  set("HF_HUB_CACHE", "~/c");  // as an environment file says it, which no shell expands
  EXPECT_EQ(hub_folder(), home_.path() / "c");
}

TEST_F(ModelCache, AnExistingPathWinsOverAName) {
  for (const char* name : {"model.bin", "config.json", "vocabulary.txt"}) {
    home_.write(".cache/steno/models/whisper-base/" + std::string(name), "");
  }
  EXPECT_EQ(find_model("whisper-base"), home_.path() / ".cache/steno/models/whisper-base");
  EXPECT_EQ(find_model(home_.path().string()), home_.path());
}

TEST_F(ModelCache, ALastPartThatTwoHaveIsNotAName) {
  const std::string hub = ".cache/huggingface/hub/";
  home_.write(hub + "models--a--one/snapshots/r/model.safetensors", "");
  home_.write(hub + "models--b--one/snapshots/r/model.safetensors", "");
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [] { find_model("one"); }),
              HasSubstr("there are 'a/one' (incomplete: config.json, tokenizer.json), 'b/one'"));
}

TEST_F(ModelCache, SaysWhatIsThereAndHowToFetch) {
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [] { find_model("nope\n"); }),
              AllOf(HasSubstr(R"(no model 'nope\x0a')"), HasSubstr("there is none yet"),
                    HasSubstr("steno models pull NAME"), HasSubstr(home_.path().string())));
  EXPECT_THAT(message_of(ErrorCode::kNotFound, [] { find_model(""); }), HasSubstr("no model ''"));
}

}  // namespace
}  // namespace steno::weights
