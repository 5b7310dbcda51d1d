// Whisper's own vocabularies against vectors that openai-whisper made.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "text/incremental_decoder.h"
#include "text/non_speech_tokens.h"
#include "text/tokenizer.h"
#include "unit/text/golden_texts.h"

namespace steno::text {
namespace {

using Ids = std::vector<int>;

// A folder of $STENO_TEST_MODELS, empty where this machine does not have it.
std::filesystem::path model_folder(std::string_view name) {
  const char* models = std::getenv("STENO_TEST_MODELS");
  if (models == nullptr) return {};
  const std::filesystem::path folder = std::filesystem::path(models) / name;
  return std::filesystem::exists(folder) ? folder : std::filesystem::path();
}

class RealVocabulary : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    folder_ = model_folder(GetParam());
    if (folder_.empty()) {
      GTEST_SKIP() << "needs the model folder " << GetParam() << " under STENO_TEST_MODELS";
    }
  }

  const nlohmann::ordered_json& specials() const {
    return golden_["specials"][is_multilingual() ? "99" : "en"];
  }

  int special_id(const char* key) const { return specials()[key].get<int>(); }

  // The folder's vocabulary.txt, which loading the folder passes over for its tokenizer.json.
  Vocabulary load_vocabulary_txt() const {
    std::string name = (std::filesystem::temp_directory_path() / "steno-text-XXXXXX").string();
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    std::filesystem::create_symlink(std::filesystem::absolute(folder_) / "vocabulary.txt",
                                    std::filesystem::path(name) / "vocabulary.txt");
    Vocabulary vocabulary = load_vocabulary(name);
    std::filesystem::remove_all(name);
    return vocabulary;
  }

  std::filesystem::path folder_;
  const nlohmann::ordered_json golden_ =
      load_golden(is_multilingual() ? "multilingual.json" : "gpt2.json");

 private:
  static bool is_multilingual() { return GetParam() == "whisper-base"; }
};

TEST_P(RealVocabulary, EncodesAsTiktoken) {
  const Tokenizer tokenizer = Tokenizer::load(folder_);
  for (const auto& golden : golden_["encode"]) {
    const auto text = golden["text"].get<std::string>();
    const auto ids = golden["ids"].get<Ids>();
    EXPECT_EQ(tokenizer.encode(text), ids) << text;
    EXPECT_EQ(tokenizer.decode(ids), text);
  }
}

// This tokenizer.json does not name the timestamps, so showing specials gives what the reference's
// decode() does: all but the timestamps.
TEST_P(RealVocabulary, DecodesAsTiktoken) {
  const Tokenizer tokenizer = Tokenizer::load(folder_);
  for (const auto& golden : golden_["decode"]) {
    const auto ids = golden["ids"].get<Ids>();
    EXPECT_EQ(tokenizer.decode(ids, Specials::kShow), golden["text"].get<std::string>());
    IncrementalDecoder decoder(tokenizer, Specials::kShow);
    std::string joined;
    for (const int id : ids) joined += decoder.push(id);
    EXPECT_EQ(joined + decoder.finish(), golden["text"].get<std::string>());
  }
}

TEST_P(RealVocabulary, VocabularyTxtNamesTheTimestampsToo) {
  const Tokenizer tokenizer(load_vocabulary_txt());
  for (const auto& golden : golden_["decode"]) {
    const auto ids = golden["ids"].get<Ids>();
    EXPECT_EQ(tokenizer.decode(ids, Specials::kShow), golden["with_timestamps"].get<std::string>());
  }
  EXPECT_EQ(tokenizer.num_tokens(), specials()["vocabulary_size"].get<int>());
  EXPECT_EQ(tokenizer.find_special("<|0.00|>"), special_id("timestamp_begin"));
}

TEST_P(RealVocabulary, VocabularyTxtAgreesWithTokenizerJson) {
  const Vocabulary from_json = load_vocabulary(folder_);
  Vocabulary from_txt = load_vocabulary_txt();
  EXPECT_EQ(from_txt.first_special, from_json.first_special);
  from_txt.tokens.resize(from_json.tokens.size());
  EXPECT_EQ(from_txt.tokens, from_json.tokens);
}

TEST_P(RealVocabulary, FindsSpecials) {
  const Tokenizer tokenizer = Tokenizer::load(folder_);
  EXPECT_EQ(tokenizer.first_special(), special_id("eot"));
  EXPECT_EQ(tokenizer.find_special("<|endoftext|>"), special_id("eot"));
  EXPECT_EQ(tokenizer.find_special("<|startoftranscript|>"), special_id("sot"));
  EXPECT_EQ(tokenizer.find_special("<|transcribe|>"), special_id("transcribe"));
  EXPECT_EQ(tokenizer.find_special("<|startofprev|>"), special_id("sot_prev"));
  EXPECT_EQ(tokenizer.find_special("<|notimestamps|>"), special_id("no_timestamps"));
}

TEST_P(RealVocabulary, NonSpeechTokens) {
  EXPECT_EQ(non_speech_tokens(Tokenizer::load(folder_)),
            specials()["non_speech_tokens"].get<Ids>());
}

INSTANTIATE_TEST_SUITE_P(Whisper, RealVocabulary,
                         testing::Values("whisper-base", "whisper-tiny.en"),
                         [](const auto& param_info) {
                           return std::string(param_info.param == "whisper-base" ? "Base"
                                                                                 : "TinyEn");
                         });

}  // namespace
}  // namespace steno::text
