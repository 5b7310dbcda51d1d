#include "text/vocabulary.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "unit/text/small_vocabulary.h"

namespace steno::text {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class VocabularyTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "steno-vocabulary-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const char* name, std::string_view content) {
    file::write_atomically(folder_ / name, content);
  }

  // The message of the Error(kInvalidModel) that loading throws, without the folder.
  std::string failure() {
    return failure([&] { load_vocabulary(folder_); });
  }
  std::string tiktoken_failure(std::string_view content) {
    write("bad.tiktoken", content);
    return failure([&] { load_tiktoken_vocabulary(folder_ / "bad.tiktoken", kSmallSpecials); });
  }

  void expect_small(const Vocabulary& loaded) {
    EXPECT_EQ(loaded.tokens, small_.tokens);
    EXPECT_EQ(loaded.first_special, small_.first_special);
  }

  // Ordinary tokens as the files write them.
  json vocab() const {
    json ids = json::object();
    for (int id = 0; id < small_.first_special; ++id) ids[to_alphabet(small_.tokens[id])] = id;
    return ids;
  }
  json all_tokens() const {
    json tokens = json::array();
    for (int id = 0; id < small_.first_special; ++id)
      tokens.push_back(to_alphabet(small_.tokens[id]));
    for (const std::string& special : kSmallSpecials) tokens.push_back(special);
    return tokens;
  }
  json special_ids() const {
    json ids = json::object();
    for (std::size_t i = 0; i < kSmallSpecials.size(); ++i)
      ids[kSmallSpecials[i]] = small_.first_special + i;
    return ids;
  }
  json tokenizer_json() const {
    json root = {{"model", {{"type", "BPE"}, {"vocab", vocab()}}}, {"added_tokens", json::array()}};
    const json specials = special_ids();
    for (const auto& [name, id] : specials.items()) {
      // Releases mark the timestamps as not special; they are all the same.
      root["added_tokens"].push_back(
          {{"content", name}, {"id", id}, {"special", name != "<|0.00|>"}});
    }
    return root;
  }
  std::string lines(const char* end) const {
    std::string text;
    for (const json& token : all_tokens()) text += token.get<std::string>() + end;
    return text;
  }
  void write_tokenizer_json(const json& root) { write("tokenizer.json", root.dump()); }

  fs::path folder_;
  const Vocabulary small_ = small_vocabulary({" t", "he", "日", "\xF0\x9F", ""});

 private:
  template <typename Action>
  std::string failure(Action action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidModel) << error.what();
      EXPECT_TRUE(utf8::is_valid(error.what()));
      const std::string message = error.what();
      EXPECT_EQ(message.find(folder_.string() + "/"), 0u) << message;
      return message.substr(folder_.string().size() + 1);
    }
    return "loaded";
  }
};

TEST_F(VocabularyTest, ReadsTokenizerJson) {
  write_tokenizer_json(tokenizer_json());
  expect_small(load_vocabulary(folder_));
}

TEST_F(VocabularyTest, TokenizerJsonMayListASpecialTwice) {
  json root = tokenizer_json();
  root["model"]["vocab"]["<|endoftext|>"] = small_.first_special;
  write_tokenizer_json(root);
  expect_small(load_vocabulary(folder_));
}

TEST_F(VocabularyTest, ReadsVocabJsonWithAddedTokens) {
  write("vocab.json", vocab().dump());
  write("added_tokens.json", special_ids().dump());
  expect_small(load_vocabulary(folder_));
}

TEST_F(VocabularyTest, ReadsVocabJsonThatHoldsTheFirstSpecial) {
  json ids = vocab();
  ids["<|endoftext|>"] = small_.first_special;
  json added = special_ids();
  added.erase("<|endoftext|>");
  write("vocab.json", ids.dump());
  write("added_tokens.json", added.dump());
  expect_small(load_vocabulary(folder_));
}

TEST_F(VocabularyTest, ReadsVocabJsonAlone) {
  write("vocab.json", vocab().dump());
  const Vocabulary loaded = load_vocabulary(folder_);
  EXPECT_EQ(loaded.first_special, small_.first_special);
  EXPECT_EQ(static_cast<int>(loaded.tokens.size()), loaded.first_special);
}

TEST_F(VocabularyTest, ReadsVocabularyJson) {
  write("vocabulary.json", all_tokens().dump());
  expect_small(load_vocabulary(folder_));
}

TEST_F(VocabularyTest, ReadsVocabularyTxtWithAnyLineEnd) {
  for (const char* end : {"\n", "\r\n"}) {
    write("vocabulary.txt", lines(end));
    expect_small(load_vocabulary(folder_));
  }
  std::string without_last_end = lines("\n");
  without_last_end.pop_back();
  write("vocabulary.txt", without_last_end);
  expect_small(load_vocabulary(folder_));
}

TEST_F(VocabularyTest, ReadsTiktokenWithAnEmptyToken) {
  // The same 256 bytes and merges, base64 by Python; "=" is the empty token.
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string content;
  for (int byte = 0; byte < 256; ++byte) {
    content += fmt::format("{}{}== {}\n", digits[byte >> 2], digits[(byte & 3) << 4], byte);
  }
  content += "IHQ= 256\naGU= 257\n5pel 258\n8J8= 259\n= 260\n";
  write("small.tiktoken", content);
  expect_small(load_tiktoken_vocabulary(folder_ / "small.tiktoken", kSmallSpecials));
}

TEST_F(VocabularyTest, PrefersTheRichestFile) {
  write("vocabulary.txt", "bad");
  write("vocabulary.json", "bad");
  write("vocab.json", "bad");
  write_tokenizer_json(tokenizer_json());
  expect_small(load_vocabulary(folder_));
}

TEST_F(VocabularyTest, ANameAboveTheFirstSpecialMayBeAnything) {
  json tokens = all_tokens();
  tokens.push_back("a name with spaces");
  tokens.push_back("madeupword0");
  write("vocabulary.json", tokens.dump());
  const Vocabulary loaded = load_vocabulary(folder_);
  EXPECT_EQ(loaded.first_special, small_.first_special);
  EXPECT_EQ(loaded.tokens.back(), "madeupword0");
}

// Passing over it for the next file would give another tokenizer than the folder means.
TEST_F(VocabularyTest, ALinkThatLeadsNowhereIsNotAbsent) {
  write("vocab.json", "{}");
  fs::create_symlink("gone.json", folder_ / "tokenizer.json");
  try {
    load_vocabulary(folder_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("tokenizer.json"), std::string::npos) << error.what();
  }
}

TEST_F(VocabularyTest, EmptyFolderSaysWhatIsExpected) {
  try {
    load_vocabulary(folder_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_NE(std::string(error.what()).find("tokenizer.json"), std::string::npos);
  }
  EXPECT_THROW(load_vocabulary(folder_ / "none"), Error);
  EXPECT_THROW(load_tiktoken_vocabulary(folder_ / "none.tiktoken", {}), Error);
}

TEST_F(VocabularyTest, RefusesTokenizerJsonOfTheWrongShape) {
  for (const char* text :
       {"[]", "3", "null", "{}", R"({"model": []})", R"({"model": {"type": 3}})"}) {
    write("tokenizer.json", text);
    EXPECT_EQ(failure(), "tokenizer.json: model.vocab is null, expected an object of token to id")
        << text;
  }
  write("tokenizer.json", R"({"model": {"vocab": [["a", -1.5]]}})");
  EXPECT_EQ(failure(), "tokenizer.json: model.vocab is array, expected an object of token to id");
  write("tokenizer.json", R"({"model": {"type": "Unigram", "vocab": []}})");
  EXPECT_EQ(failure(), "tokenizer.json: model.type is \"Unigram\", expected BPE");
  write("tokenizer.json", "{\"model\": ");
  EXPECT_EQ(failure().find("tokenizer.json: not valid JSON at byte 11"), 0u);
}

TEST_F(VocabularyTest, RefusesBadAddedTokens) {
  json root = tokenizer_json();
  root["added_tokens"] = 3;
  write_tokenizer_json(root);
  EXPECT_EQ(failure(), "tokenizer.json: added_tokens is number, expected an array");
  for (const json& token : {json(1), json{{"id", 3}}, json{{"id", 3}, {"content", 4}}}) {
    root["added_tokens"] = json::array({token});
    write_tokenizer_json(root);
    EXPECT_EQ(failure(), "tokenizer.json: an added token has no text in \"content\"");
  }
  root["added_tokens"] = json::array({{{"content", "<|x|>"}}});
  write_tokenizer_json(root);
  EXPECT_EQ(failure(), "tokenizer.json: token \"<|x|>\" has id \"null\", expected a whole number");
}

TEST_F(VocabularyTest, RefusesIdsOutOfRange) {
  const std::pair<json, const char*> cases[] = {
      {-1, "tokenizer.json: token \"x2\" has id -1, expected 0 to 1048575"},
      {1048576, "tokenizer.json: token \"x2\" has id 1048576, expected 0 to 1048575"},
      {18446744073709551615u,
       "tokenizer.json: token \"x2\" has id \"18446744073709551615\", expected a whole number"},
      {2.5, "tokenizer.json: token \"x2\" has id \"2.5\", expected a whole number"},
      {"7", "tokenizer.json: token \"x2\" has id \"\"7\"\", expected a whole number"},
      {true, "tokenizer.json: token \"x2\" has id \"true\", expected a whole number"}};
  for (const auto& [id, message] : cases) {
    json root = tokenizer_json();
    root["model"]["vocab"]["x2"] = id;
    write_tokenizer_json(root);
    EXPECT_EQ(failure(), message);
  }
}

TEST_F(VocabularyTest, RefusesHolesAndDuplicates) {
  json root = tokenizer_json();
  root["model"]["vocab"]["x2"] = 300;
  write_tokenizer_json(root);
  EXPECT_EQ(failure(), "tokenizer.json: no token has id 266, though ids go up to 300");

  root = tokenizer_json();
  root["model"]["vocab"]["x2"] = 258;
  write_tokenizer_json(root);
  EXPECT_EQ(failure(), "tokenizer.json: tokens \"x2\" and \"æĹ¥\" have the same id 258");

  json tokens = all_tokens();
  tokens[256] = "he";
  write("vocabulary.json", tokens.dump());
  fs::remove(folder_ / "tokenizer.json");
  EXPECT_EQ(failure(), "vocabulary.json: token \"he\" is there twice, with ids 256 and 257");
}

TEST_F(VocabularyTest, RefusesAMissingByte) {
  json tokens = all_tokens();
  tokens[static_cast<std::size_t>('q')] = "qq";
  write("vocabulary.json", tokens.dump());
  EXPECT_EQ(failure(),
            "vocabulary.json: no ordinary token for the single byte 0x71 among the 261 before the "
            "specials");
  write("vocabulary.json", "[]");
  EXPECT_EQ(failure(),
            "vocabulary.json: no ordinary token for the single byte 0x00 among the 0 before the "
            "specials");
}

TEST_F(VocabularyTest, RefusesTokensOfAnotherKindOfModel) {
  json tokens = all_tokens();
  tokens[256] = "▁the";
  write("vocabulary.json", tokens.dump());
  EXPECT_EQ(failure(),
            "vocabulary.json: token \"▁the\" (id 256) is not in GPT-2's byte alphabet: is this a "
            "byte-level BPE model?");
}

TEST_F(VocabularyTest, RefusesVocabularyJsonOfTheWrongShape) {
  write("vocabulary.json", "{}");
  EXPECT_EQ(failure(), "vocabulary.json: the file is object, expected an array of strings");
  write("vocabulary.json", R"(["a", 3])");
  EXPECT_EQ(failure(), "vocabulary.json: token 1 is number, expected a string");
}

TEST_F(VocabularyTest, RefusesBadVocabularyTxt) {
  write("vocabulary.txt", lines("\n") + "\xFF\n");
  EXPECT_EQ(failure(), "vocabulary.txt: not valid UTF-8");
  write("vocabulary.txt", lines("\n") + "\n");
  EXPECT_EQ(failure(), "vocabulary.txt: token \"\" is there twice, with ids 260 and 266");
  write("vocabulary.txt", "");
  EXPECT_EQ(failure().find("vocabulary.txt: no ordinary token for the single byte 0x00"), 0u);
}

TEST_F(VocabularyTest, RefusesBadAddedTokensJson) {
  write("vocab.json", vocab().dump());
  write("added_tokens.json", "[]");
  EXPECT_EQ(failure(), "added_tokens.json: the file is array, expected an object of token to id");
}

TEST_F(VocabularyTest, RefusesBadTiktokenLines) {
  for (const char* line : {"IQ==", "IQ== x", "IQ== 0 1", "IQ== ", "I 0", "I*== 0", "IQ==  0",
                           "\xFF 0", "IQ== 99999999999999999999"}) {
    EXPECT_EQ(tiktoken_failure(line).find("bad.tiktoken: line 1 is "), 0u) << line;
  }
  EXPECT_EQ(tiktoken_failure("\n\nIQ== 0\nIg== 0\n"),
            "bad.tiktoken: tokens \"!\" and \"\"\" have the same id 0");
  EXPECT_EQ(tiktoken_failure("IQ== -1"),
            "bad.tiktoken: token \"!\" has id -1, expected 0 to 1048575");
}

TEST_F(VocabularyTest, LongTokensAreCutInMessages) {
  write("vocabulary.json", json::array({std::string(1 << 20, ' ')}).dump());
  EXPECT_LT(failure().size(), 200u);
}

}  // namespace
}  // namespace steno::text
