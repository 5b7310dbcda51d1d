// Whisper's own vocabularies against openai-whisper v20250625 on tiktoken 0.14, which made every
// number here.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "text/incremental_decoder.h"
#include "text/non_speech_tokens.h"
#include "text/tokenizer.h"

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
  bool is_english() const { return GetParam() == "whisper-tiny.en"; }

  std::filesystem::path folder_;
};

struct Case {
  std::string_view text;
  Ids multilingual;
  Ids english;
};

const Case kCases[] = {
    {"", {}, {}},
    {" ", {220}, {220}},
    {"Hello world", {15947, 1002}, {15496, 995}},
    {" The quick brown fox, isn't it?",
     {440, 1702, 6292, 21026, 11, 1943, 380, 309, 30},
     {383, 2068, 7586, 21831, 11, 2125, 470, 340, 30}},
    {"  leading and trailing  ",
     {220, 5775, 293, 944, 4883, 220, 220},
     {220, 3756, 290, 25462, 220, 220}},
    {"tab\tand\n\nnewlines\r\n",
     {83, 455, 197, 474, 198, 198, 7686, 11045, 201, 198},
     {8658, 197, 392, 198, 198, 3605, 6615, 201, 198}},
    {"a\u00A0b\u3000c", {64, 126, 254, 65, 756, 222, 66}, {64, 1849, 65, 5099, 222, 66}},
    {"日本語のテキスト。",
     {27311, 31348, 2972, 22985, 15535, 40498, 1543},
     {33768, 98, 17312, 105, 45739, 252, 5641, 24336, 25084, 43302, 16764}},
    {"👩\u200D👩\u200D👧\u200D👦 family",
     {31017, 102, 913, 235, 31017, 102, 913, 235, 31017, 100, 913, 235, 31017, 99, 1605},
     {41840, 102, 447, 235, 41840, 102, 447, 235, 41840, 100, 447, 235, 41840, 99, 1641}},
    {"𝒳 and \U0010FFFF",
     {10933, 240, 111, 293, 220, 176, 237, 123, 123},
     {47728, 240, 111, 290, 220, 176, 237, 123, 123}},
    {"<|endoftext|><|0.00|>",
     {27, 91, 3999, 844, 3828, 91, 29986, 91, 15, 13, 628, 91, 29},
     {27, 91, 437, 1659, 5239, 91, 6927, 91, 15, 13, 405, 91, 29}},
    {"�", {5342}, {4210}},
    {"internationalization 12345 ½",
     {259, 2231, 1478, 2144, 34466, 8465, 32653},
     {45609, 1634, 17031, 2231, 25208}},
    {"हिन्दी ไทย العربية",
     {44500, 33279, 35082, 27099, 3941, 99, 31881, 220, 8809, 11099, 7044, 18863, 25513, 10632},
     {11976, 117, 11976, 123, 11976, 101, 24231, 235,   11976, 99,    24231, 222,  220,
      31479, 226, 19567, 245, 19567, 95,  28981, 44690, 26897, 39848, 22654, 45632}},
    {"♪♪♪ [MUSIC]",
     {26130, 3961, 542, 6848, 60},
     {17992, 103, 17992, 103, 17992, 103, 685, 44, 2937, 2149, 60}},
    {" t the tt", {256, 264, 256, 83}, {256, 262, 256, 83}},
    {"'s 'S it's", {311, 922, 50, 309, 311}, {338, 705, 50, 340, 338}},
};

TEST_P(RealVocabulary, EncodesAsTiktoken) {
  const Tokenizer tokenizer = Tokenizer::load(folder_);
  for (const Case& c : kCases) {
    const Ids& expected = is_english() ? c.english : c.multilingual;
    EXPECT_EQ(tokenizer.encode(c.text), expected) << c.text;
    EXPECT_EQ(tokenizer.decode(expected), c.text);
  }
}

TEST_P(RealVocabulary, DecodesIncrementally) {
  const Tokenizer tokenizer = Tokenizer::load(folder_);
  for (const Case& c : kCases) {
    IncrementalDecoder decoder(tokenizer);
    std::string text;
    for (const int id : is_english() ? c.english : c.multilingual) text += decoder.push(id);
    EXPECT_EQ(text + decoder.finish(), c.text);
  }
}

TEST_P(RealVocabulary, SpecialsAreWhereTheModelExpectsThem) {
  const Tokenizer tokenizer = Tokenizer::load(folder_);
  const int end_of_text = is_english() ? 50256 : 50257;
  EXPECT_EQ(tokenizer.first_special(), end_of_text);
  EXPECT_EQ(tokenizer.find_special("<|endoftext|>"), end_of_text);
  EXPECT_EQ(tokenizer.find_special("<|startoftranscript|>"), end_of_text + 1);
  EXPECT_EQ(tokenizer.find_special("<|en|>"), end_of_text + 2);
  EXPECT_EQ(tokenizer.find_special("<|transcribe|>"), end_of_text + 102);
  EXPECT_EQ(tokenizer.find_special("<|notimestamps|>"), end_of_text + 106);
}

// The two files of a folder name the same tokens; only vocabulary.txt names the timestamps.
TEST_P(RealVocabulary, VocabularyTxtAgreesWithTokenizerJson) {
  const Vocabulary from_json = load_vocabulary(folder_);
  std::string name = (std::filesystem::temp_directory_path() / "steno-text-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  std::filesystem::copy_file(folder_ / "vocabulary.txt",
                             std::filesystem::path(name) / "vocabulary.txt");
  Vocabulary from_txt = load_vocabulary(name);
  std::filesystem::remove_all(name);

  EXPECT_EQ(from_txt.first_special, from_json.first_special);
  EXPECT_EQ(static_cast<int>(from_txt.tokens.size()), from_json.first_special + 107 + 1501);
  EXPECT_EQ(from_txt.tokens.back(), "<|30.00|>");
  from_txt.tokens.resize(from_json.tokens.size());
  EXPECT_EQ(from_txt.tokens, from_json.tokens);
}

const Ids kMultilingualNonSpeech = {
    1,     2,     7,     8,     9,     10,    14,    25,    26,    27,    28,    29,
    31,    58,    59,    60,    61,    62,    63,    90,    91,    92,    93,    359,
    503,   522,   542,   873,   893,   902,   918,   922,   931,   1350,  1853,  1982,
    2460,  2627,  3246,  3253,  3268,  3536,  3846,  3961,  4183,  4667,  6585,  6647,
    7273,  9061,  9383,  10428, 10929, 11938, 12033, 12331, 12562, 13793, 14157, 14635,
    15265, 15618, 16553, 16604, 18362, 18956, 20075, 21675, 22520, 26130, 26161, 26435,
    28279, 29464, 31650, 32302, 32470, 36865, 42863, 47425, 49870, 50254};
const Ids kEnglishNonSpeech = {
    1,     2,     7,     8,     9,     10,    14,    25,    26,    27,    28,    29,
    31,    58,    59,    60,    61,    62,    63,    90,    91,    92,    93,    357,
    366,   438,   532,   685,   705,   796,   930,   1058,  1220,  1267,  1279,  1303,
    1343,  1377,  1391,  1635,  1782,  1875,  2162,  2361,  2488,  3467,  4008,  4211,
    4600,  4808,  5299,  5855,  6329,  7203,  9609,  9959,  10563, 10786, 11420, 11709,
    11907, 13163, 13697, 13700, 14808, 15306, 16410, 16791, 17992, 19203, 19510, 20724,
    22305, 22935, 27007, 30109, 30420, 33409, 34949, 40283, 40493, 40549, 47282, 49146};

TEST_P(RealVocabulary, NonSpeechTokens) {
  const Tokenizer tokenizer = Tokenizer::load(folder_);
  EXPECT_EQ(non_speech_tokens(tokenizer),
            is_english() ? kEnglishNonSpeech : kMultilingualNonSpeech);
}

INSTANTIATE_TEST_SUITE_P(Whisper, RealVocabulary,
                         testing::Values("whisper-base", "whisper-tiny.en"),
                         [](const auto& param_info) {
                           return std::string(param_info.param == "whisper-base" ? "Base"
                                                                                 : "TinyEn");
                         });

}  // namespace
}  // namespace steno::text
