#include "output/shape_cues.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"
#include "unit/output/spoken.h"

namespace steno::output {
namespace {

using ::testing::ElementsAre;
using transcribe::Segment;

constexpr CueLimits kNoLimits{
    .max_line_columns = 0, .max_lines = 0, .max_words_per_line = 0, .max_cue_s = 0};

std::vector<Cue> shaped(const std::vector<Segment>& segments, const CueLimits& limits = {}) {
  return shape_cues(make_pieces(segments), limits);
}

std::vector<std::string> texts(const std::vector<Segment>& segments, const CueLimits& limits = {}) {
  std::vector<std::string> out;
  for (const Cue& cue : shaped(segments, limits)) out.push_back(cue.text);
  return out;
}

std::vector<std::string> lines(const std::vector<Segment>& segments, const CueLimits& limits = {}) {
  std::vector<std::string> out;
  for (const Cue& cue : shaped(segments, limits)) {
    out.insert(out.end(), cue.lines.begin(), cue.lines.end());
  }
  return out;
}

TEST(ShapeCues, SentencesPart) {
  EXPECT_THAT(texts({spoken(" The first one is here. The second one follows it.", 0, 0.4)}),
              ElementsAre("The first one is here.", "The second one follows it."));
}

TEST(ShapeCues, TimesAreThoseOfTheWords) {
  const auto cues = shaped({spoken(" The first one is here. The second one follows it.", 1, 0.4)});
  ASSERT_EQ(cues.size(), 2u);
  EXPECT_EQ(cues[0].start_ms, 1'000);
  EXPECT_EQ(cues[0].end_ms, 3'000);
  EXPECT_EQ(cues[1].start_ms, 3'000);
  EXPECT_EQ(cues[1].end_ms, 5'000);
}

TEST(ShapeCues, WhatIsTooShortToReadStaysTogether) {
  EXPECT_THAT(texts({spoken(" Yes. I know.", 0, 0.3)}), ElementsAre("Yes. I know."));
}

TEST(ShapeCues, ALongSentenceIsCutAtAComma) {
  EXPECT_THAT(
      texts({spoken(" When the long winter was over at last, the people of the village went down "
                    "to the river and mended their boats.",
                    0, 0.25)}),
      ElementsAre("When the long winter was over at last,",
                  "the people of the village went down to the river and mended their boats."));
}

TEST(ShapeCues, ASegmentMayEndInTheMiddleOfASentence) {
  EXPECT_THAT(texts({spoken(" They went down to", 0, 0.3), spoken(" the river.", 1.2, 0.3)}),
              ElementsAre("They went down to the river."));
}

TEST(ShapeCues, ALongPauseEndsACue) {
  EXPECT_THAT(texts({spoken(" They went down", 0, 0.4), spoken(" to the river.", 4.3, 0.4)}),
              ElementsAre("They went down", "to the river."));
}

TEST(ShapeCues, LinesAreEvenAndAsFewAsItTakes) {
  EXPECT_THAT(lines({spoken(" The people of the village went to the great river.", 0, 0.3)}),
              ElementsAre("The people of the village", "went to the great river."));
  EXPECT_THAT(lines({spoken(" The people of the village went home today.", 0, 0.3)}),
              ElementsAre("The people of the village went home today."));
}

TEST(ShapeCues, ALineEndsAtACommaRatherThanExactlyInTheMiddle) {
  EXPECT_THAT(lines({spoken(" The people of our village, they went down to the river.", 0, 0.3)}),
              ElementsAre("The people of our village,", "they went down to the river."));
  EXPECT_THAT(lines({spoken(" In the spring, the people went down to the river.", 0, 0.3)},
                    {.max_line_columns = 36}),
              ElementsAre("In the spring,", "the people went down to the river."));
}

TEST(ShapeCues, AWordIsNeverCut) {
  EXPECT_THAT(lines({spoken(" A well-known Donaudampfschifffahrtsgesellschaft is it", 0, 1)},
                    {.max_line_columns = 12}),
              ElementsAre("A well-known", "Donaudampfschifffahrtsgesellschaft", "is it"));
}

TEST(ShapeCues, WordsThatStickTogetherStayTogether) {
  Segment segment =
      spoken_words({" it", " cost", " $3", ".50", " at", " the", " co", "-op", "."}, 0, 1);
  const auto cues = shaped({segment}, {.max_line_columns = 5, .max_lines = 1});
  std::vector<std::string> found;
  for (const Cue& cue : cues) found.push_back(cue.text);
  EXPECT_THAT(found, ElementsAre("it", "cost", "$3.50", "at", "the", "co-op."));
  EXPECT_EQ(cues[2].start_ms, 2'000);
  EXPECT_EQ(cues[2].end_ms, 4'000);
}

TEST(ShapeCues, TextWithoutSpacesIsCutBetweenItsWords) {
  const Segment segment = spoken_words({"今日", "は", "とても", "いい", "天気", "な", "ので", "、",
                                        "公園", "を", "散歩", "しま", "した", "。"},
                                       0, 0.3);
  EXPECT_THAT(lines({segment}, {.max_line_columns = 28, .max_lines = 2}),
              ElementsAre("今日はとてもいい天気なので、", "公園を散歩しました。"));
  for (const std::string& line : lines({segment}, {.max_line_columns = 8, .max_lines = 1})) {
    EXPECT_LE(num_columns(line), 8) << line;
    EXPECT_FALSE(line.starts_with("、") || line.starts_with("。")) << line;
  }
}

TEST(ShapeCues, WordsPerLineAlone) {
  CueLimits limits = kNoLimits;
  limits.max_lines = 1;
  limits.max_words_per_line = 1;
  EXPECT_THAT(texts({spoken(" one two three", 0, 1)}, limits), ElementsAre("one", "two", "three"));
  limits.max_words_per_line = 2;
  EXPECT_THAT(texts({spoken(" one two three four", 0, 1)}, limits),
              ElementsAre("one two", "three four"));
}

TEST(ShapeCues, WithoutLimitsASegmentIsACue) {
  const std::vector<Segment> segments = {spoken(" One. Two.", 0, 1), spoken(" three", 2, 1)};
  EXPECT_THAT(texts(segments, kNoLimits), ElementsAre("One. Two.", "three"));
}

TEST(ShapeCues, AWidthAloneGivesASegmentAllItsLines) {
  CueLimits limits = kNoLimits;
  limits.max_line_columns = 10;
  const auto cues =
      shaped({spoken(" one two three four five six", 0, 1), spoken(" seven", 6, 1)}, limits);
  ASSERT_EQ(cues.size(), 2u);
  EXPECT_THAT(cues[0].lines, ElementsAre("one two", "three four", "five six"));
  EXPECT_THAT(cues[1].lines, ElementsAre("seven"));
}

TEST(ShapeCues, AWordThatIsFoundTooLongIsShownNoLongerThanAsked) {
  const auto cues = shaped({spoken(" Well", 10, 29.5)}, {.max_cue_s = 5});
  ASSERT_EQ(cues.size(), 1u);
  EXPECT_EQ(cues[0].start_ms, 10'000);
  EXPECT_EQ(cues[0].end_ms, 15'000);
}

TEST(ShapeCues, ASegmentWithoutWordsSharesItsTimeOut) {
  Segment segment;
  segment.text = " abcd efgh ijkl";
  segment.start_s = 100;
  segment.end_s = 114;
  const auto cues = shaped({segment}, {.max_line_columns = 4, .max_lines = 1});
  ASSERT_EQ(cues.size(), 3u);
  EXPECT_EQ(cues[0].text, "abcd");
  EXPECT_EQ(cues[0].start_ms, 100'000);
  EXPECT_EQ(cues[1].start_ms, 104'000);  // 4 of 14 columns
  EXPECT_EQ(cues[2].end_ms, 114'000);
}

TEST(ShapeCues, WordsThatAreNotTheTextAreNotShown) {
  Segment segment = spoken(" the wrong words", 0, 1);
  segment.text = " the right text";
  EXPECT_THAT(texts({segment}), ElementsAre("the right text"));
}

TEST(ShapeCues, NothingComesOfNothing) {
  Segment blank;
  blank.text = "  \n";
  blank.words = {{" ", 0, 1, 1}, {"\n", 1, 2, 1}};
  EXPECT_TRUE(shaped({}).empty());
  EXPECT_TRUE(shaped({Segment{}, blank}).empty());
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' '; });
  return text;
}

Segment random_segment(std::mt19937& random, double& now_s) {
  constexpr const char* kWords[] = {
      " a",  " the",  " river,", " Dr.", " end.", " yes?",       "-ish",  " 3",
      ".5",  " 日本", "語",      "、",   "。",    " \U0001F600", " \xff", " Donaudampfschifffahrt",
      " so", " we",   " go"};
  const auto draw = [&](std::size_t n) { return random() % n; };
  std::vector<std::string> words;
  for (std::size_t i = 0, n = draw(40); i < n; ++i)
    words.push_back(kWords[draw(std::size(kWords))]);
  Segment segment = spoken_words(words, now_s, 0.01 * static_cast<double>(draw(60)));
  if (draw(5) == 0) segment.words.clear();
  now_s = segment.end_s + (draw(3) == 0 ? 0.1 * static_cast<double>(draw(50)) : 0);
  return segment;
}

void expect_within(const std::vector<Cue>& cues, const CueLimits& limits) {
  std::int64_t last_ms = 0;
  for (const Cue& cue : cues) {
    EXPECT_FALSE(cue.text.empty());
    EXPECT_TRUE(utf8::is_valid(cue.text));
    EXPECT_GE(cue.start_ms, last_ms);
    EXPECT_GE(cue.end_ms, cue.start_ms);
    last_ms = cue.end_ms;
    std::string joined;
    for (const std::string& line : cue.lines) {
      EXPECT_FALSE(line.empty());
      joined += line;
      const bool is_one_word = line.find(' ') == std::string::npos;
      if (limits.max_line_columns > 0 && !is_one_word) {
        EXPECT_LE(num_columns(line), limits.max_line_columns) << line;
      }
    }
    EXPECT_EQ(without_spaces(joined), without_spaces(cue.text));
    if (limits.max_lines > 0) {
      EXPECT_LE(static_cast<int>(cue.lines.size()), limits.max_lines);
    }
    if (limits.max_cue_s > 0) {
      EXPECT_LE(cue.end_ms - cue.start_ms, to_ms(limits.max_cue_s));
    }
  }
}

TEST(ShapeCues, LimitsHoldAndNoTextIsLostWhateverIsSaid) {
  const CueLimits all_limits[] = {
      {},
      {.max_line_columns = 20, .max_lines = 1, .max_cue_s = 2},
      {.max_line_columns = 32, .max_lines = 3, .max_words_per_line = 3, .max_cue_s = 0},
      {.max_line_columns = 0, .max_lines = 1, .max_words_per_line = 2, .max_cue_s = 1.5},
      {.max_line_columns = 30, .max_lines = 0, .max_cue_s = 0},
      kNoLimits,
  };
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    double now_s = seed % 2 == 0 ? 0 : 360'000;  // from the start, from 100 h on
    std::vector<Segment> segments;
    std::string text;
    for (int i = 0; i < 6; ++i) {
      segments.push_back(random_segment(random, now_s));
      text += one_line(segments.back().text);
    }
    for (const CueLimits& limits : all_limits) {
      std::string shown;
      const std::vector<Cue> cues = shaped(segments, limits);
      for (const Cue& cue : cues) shown += cue.text;
      EXPECT_EQ(without_spaces(shown), without_spaces(text)) << seed;
      expect_within(cues, limits);
    }
  }
}

}  // namespace
}  // namespace steno::output
