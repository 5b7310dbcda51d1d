#include "models/whisper/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "models/whisper/config.h"
#include "models/whisper/tokenizer_files.h"
#include "support/golden.h"
#include "text/tokenizer.h"
#include "weights/checkpoint.h"

namespace steno::models::whisper {
namespace {

class VocabularyOf : public ::testing::TestWithParam<std::string> {
 protected:
  VocabularyOf() : golden_(GetParam()) {}
  golden::Model golden_;
};

TEST_P(VocabularyOf, FindsTheSpecialTokensInEveryFolder) {
  const nlohmann::json& expected = golden_.meta["vocabulary"];
  int num_folders = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden_.path)) {
    if (!golden::has_tokenizer(entry.path())) continue;
    SCOPED_TRACE(entry.path());
    ++num_folders;
    const Config config = load_config(entry.path(), *weights::open(entry.path()));
    const text::Tokenizer tokenizer = find_tokenizer(entry.path(), config);
    const Vocabulary v = load_vocabulary(tokenizer, config);
    EXPECT_EQ(v.size, expected["size"].get<int>());
    EXPECT_EQ(v.eot, expected["eot"].get<int>());
    EXPECT_EQ(v.sot, expected["sot"].get<int>());
    EXPECT_EQ(v.translate, expected["translate"].get<int>());
    EXPECT_EQ(v.transcribe, expected["transcribe"].get<int>());
    EXPECT_EQ(v.startofprev, expected["sot_prev"].get<int>());
    EXPECT_EQ(v.nospeech, expected["no_speech"].get<int>());
    EXPECT_EQ(v.timestamp_begin, expected["timestamp_begin"].get<int>());
    EXPECT_EQ(v.is_multilingual, golden_.meta["spec"]["multilingual"].get<bool>());
    EXPECT_EQ(v.sot_sequence("en", false), golden_.meta["sot_sequence"].get<std::vector<int>>());
    EXPECT_EQ(suppressed_tokens(tokenizer, v, {-1}),
              golden_.meta["suppress_tokens"].get<std::vector<int>>());
    EXPECT_THAT(suppressed_tokens(tokenizer, v, {}), ::testing::IsEmpty());
  }
  EXPECT_GE(num_folders, 1);
}

TEST_P(VocabularyOf, ATokenizerOfAnotherModelIsRefused) {
  Config config = load_config(golden_.path / "hf", *weights::open(golden_.path / "hf"));
  config.vocab_size += 1;
  EXPECT_THROW(load_vocabulary(text::Tokenizer::load(golden_.path / "hf"), config), Error);
}

INSTANTIATE_TEST_SUITE_P(Tiny, VocabularyOf, ::testing::Values("tiny-80", "tiny-128", "tiny-en"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace steno::models::whisper
