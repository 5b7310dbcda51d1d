// Words of aligned tokens against whisper.timing.add_word_timestamps. Vectors:
// tests/golden/whisper/word_times.json, made by tools/reference.
#include "transcribe/word_times.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/golden.h"
#include "text/tokenizer.h"
#include "transcribe/options.h"

namespace steno::transcribe {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Options kDefaults;

class WordTimes : public ::testing::Test {
 protected:
  WordRules rules(bool has_spaces) const {
    return {.has_spaces = has_spaces,
            .positions_per_second = 50,
            .decode_text = [this](std::span<const int> ids) { return tokenizer_.decode(ids); },
            .prepend_punctuations = kDefaults.prepend_punctuations,
            .append_punctuations = kDefaults.append_punctuations};
  }

  Segment segment(std::vector<int> tokens, double start_s, double end_s, int seek = 0) const {
    Segment s;
    s.seek = seek;
    s.start_s = start_s;
    s.end_s = end_s;
    s.text = tokenizer_.decode(tokens);
    s.tokens = std::move(tokens);
    return s;
  }

  // The text tokens of all segments at the given positions, the last one being the end.
  models::Alignment aligned(std::span<const Segment> segments, const std::vector<int>& positions,
                            const std::vector<double>& probabilities = {}) const {
    models::Alignment alignment;
    std::size_t index = 0;
    for (const Segment& s : segments) {
      for (const int token : s.tokens) {
        const std::size_t i = alignment.tokens.size();
        if (!tokenizer_.is_special(token)) {
          alignment.tokens.push_back(
              {index, probabilities.empty() ? 0.5 : probabilities[i], positions[i]});
        }
        ++index;
      }
    }
    alignment.end_position = positions.back();
    EXPECT_EQ(alignment.tokens.size() + 1, positions.size());
    return alignment;
  }

  // Tokens every `step` positions.
  models::Alignment evenly(std::span<const Segment> segments, int step) const {
    std::vector<int> positions = {0};
    for (const Segment& s : segments) {
      for (const int token : s.tokens) {
        if (!tokenizer_.is_special(token)) positions.push_back(positions.back() + step);
      }
    }
    return aligned(segments, positions);
  }

  std::vector<std::string> texts(const Segment& s) const {
    std::vector<std::string> result;
    for (const Word& word : s.words) result.push_back(word.text);
    return result;
  }

  text::Tokenizer tokenizer_ =
      text::Tokenizer::load(golden::folder() / "whisper" / "tiny-80" / "hf");
};

std::string joined(const Segment& segment) {
  std::string text;
  for (const Word& word : segment.words) text += word.text;
  return text;
}

TEST_F(WordTimes, AreTheReferences) {
  const nlohmann::json cases =
      golden::load_json(golden::folder() / "whisper" / "word_times.json")["words"];
  ASSERT_GE(cases.size(), 40U);
  for (const nlohmann::json& c : cases) {
    SCOPED_TRACE(c.dump());
    std::vector<Segment> segments;
    for (const nlohmann::json& s : c["segments"]) {
      segments.push_back(segment(s["tokens"].get<std::vector<int>>(), s["start"].get<double>(),
                                 s["end"].get<double>(), s["seek"].get<int>()));
      EXPECT_EQ(segments.back().text, s["text"].get<std::string>());
    }
    const std::string language = c["language"].get<std::string>();
    add_word_times(
        segments,
        aligned(segments, c["positions"].get<std::vector<int>>(),
                c["probabilities"].get<std::vector<double>>()),
        rules(language != "zh" && language != "ja" && language != "th"),
        {.begin_s = segments[0].seek / 100.0, .last_speech_s = c["last_speech"].get<double>()});
    for (std::size_t i = 0; i < segments.size(); ++i) {
      const nlohmann::json& expected = c["expected"][i];
      EXPECT_NEAR(segments[i].start_s, expected["start"].get<double>(), 2e-6);
      EXPECT_NEAR(segments[i].end_s, expected["end"].get<double>(), 2e-6);
      EXPECT_EQ(joined(segments[i]), segments[i].text);
      ASSERT_EQ(segments[i].words.size(), expected["words"].size());
      for (std::size_t w = 0; w < segments[i].words.size(); ++w) {
        const Word& ours = segments[i].words[w];
        const nlohmann::json& theirs = expected["words"][w];
        EXPECT_EQ(ours.text, theirs["word"].get<std::string>());
        EXPECT_NEAR(ours.start_s, theirs["start"].get<double>(), 2e-6) << ours.text;
        EXPECT_NEAR(ours.end_s, theirs["end"].get<double>(), 2e-6) << ours.text;
        EXPECT_NEAR(ours.probability, theirs["probability"].get<double>(), 2e-6) << ours.text;
      }
    }
  }
}

TEST_F(WordTimes, NumbersAndSumsHaveABeginAndAnEnd) {
  std::vector<Segment> segments = {segment(tokenizer_.encode(" In 2024 we paid $3.50"), 0, 30)};
  add_word_times(segments, evenly(segments, 10), rules(true), {});
  EXPECT_THAT(texts(segments[0]), ElementsAre(" In", " 2024", " we", " paid", " $3", ".50"));
  double end_s = 0;
  for (const Word& word : segments[0].words) {
    EXPECT_GE(word.start_s, end_s);
    EXPECT_GT(word.end_s, word.start_s);
    end_s = word.end_s;
  }
}

TEST_F(WordTimes, CharactersOfTextWithoutSpacesHaveDistinctTimesThatRise) {
  for (const char* text : {"你好，世界。今天天气很好", "日本語のテキスト、です。"}) {
    std::vector<Segment> segments = {segment(tokenizer_.encode(text), 0, 30)};
    add_word_times(segments, evenly(segments, 3), rules(false), {});
    EXPECT_GE(segments[0].words.size(), 8U);
    EXPECT_EQ(joined(segments[0]), text);
    double start_s = -1;
    for (const Word& word : segments[0].words) {
      EXPECT_GT(word.start_s, start_s) << word.text;
      EXPECT_GT(word.end_s, word.start_s) << word.text;
      start_s = word.start_s;
    }
  }
}

// The reference gives the first segment a word of the second here, and the second one of the third.
TEST_F(WordTimes, AWordBelongsToOneSegment) {
  std::vector<Segment> segments;
  for (const char* text : {" He said \"", "and, ", ", then", "went", " (", "on)."}) {
    segments.push_back(segment(tokenizer_.encode(text), 0, 30));
  }
  add_word_times(segments, evenly(segments, 10), rules(true), {});
  for (const Segment& s : segments) EXPECT_EQ(joined(s), s.text);
}

TEST_F(WordTimes, TextThatIsNoUtf8IsWrittenOnce) {
  const std::vector<int> you = tokenizer_.encode("你");
  ASSERT_EQ(you.size(), 3U) << "a character of three tokens";
  const std::vector<int> a = tokenizer_.encode(" a");
  const std::vector<std::vector<int>> odd = {
      {you[0]},
      {you[0], you[1]},
      {you[1], you[2]},
      {you[0], a[0], you[1]},
      {you[1], you[0], you[1], you[2], you[0]},
      {a[0], you[0], you[1], a[0], you[2]},
  };
  for (const bool has_spaces : {true, false}) {
    for (const std::vector<int>& tokens : odd) {
      std::vector<Segment> segments = {segment(tokens, 0, 30), segment(you, 0, 30)};
      add_word_times(segments, evenly(segments, 10), rules(has_spaces), {});
      EXPECT_EQ(joined(segments[0]), segments[0].text);
      EXPECT_EQ(joined(segments[1]), "你");
    }
  }
}

TEST_F(WordTimes, WithoutTextThereAreNoWords) {
  add_word_times({}, {}, rules(true), {});
  const int timestamp = *tokenizer_.find_special("<|0.00|>");
  std::vector<Segment> segments = {segment({timestamp, timestamp + 50}, 1, 2)};
  add_word_times(segments, {}, rules(true), {});
  EXPECT_THAT(segments[0].words, IsEmpty());
  EXPECT_EQ(segments[0].start_s, 1);
  EXPECT_EQ(segments[0].end_s, 2);
}

TEST_F(WordTimes, AllTokensAtOnePositionAreAllowed) {
  std::vector<Segment> segments = {segment(tokenizer_.encode(" Yes. No. So."), 0, 2)};
  add_word_times(segments, evenly(segments, 0), rules(true), {});
  EXPECT_EQ(joined(segments[0]), " Yes. No. So.");
}

Segment spoken(double start_s, double end_s, std::vector<Word> words = {}) {
  Segment segment;
  segment.start_s = start_s;
  segment.end_s = end_s;
  segment.words = std::move(words);
  return segment;
}

TEST(OrderWordTimes, NeitherFallNorLeaveTheAudio) {
  std::vector<Segment> segments(3);
  segments[0] = spoken(1, 4, {{" a", 1, 2.5, 1}, {" b", 2.2, 4.4, 1}});
  segments[1] = spoken(3.9, 4);
  segments[2] = spoken(4.1, 12, {{" c", 4.1, 4.3, 1}, {" d", 9, 13, 1}});
  order_word_times(segments, 10);
  double earliest_s = 0;
  for (const Segment& s : segments) {
    EXPECT_GE(s.start_s, earliest_s);
    EXPECT_LE(s.end_s, 10);
    earliest_s = s.start_s;
    for (const Word& word : s.words) {
      EXPECT_GE(word.start_s, earliest_s) << word.text;
      EXPECT_GE(word.end_s, word.start_s) << word.text;
      EXPECT_LE(word.end_s, s.end_s) << word.text;
      earliest_s = word.end_s;
    }
    EXPECT_GE(s.end_s, s.start_s);
    earliest_s = s.end_s;
  }
  EXPECT_EQ(segments[0].words[1].start_s, 2.5);
  EXPECT_EQ(segments[0].end_s, 4.4);
  EXPECT_EQ(segments[2].words[1].end_s, 10);
}

}  // namespace
}  // namespace steno::transcribe
