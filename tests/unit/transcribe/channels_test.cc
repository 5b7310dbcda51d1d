#include "transcribe/channels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steno::transcribe {
namespace {

using ::testing::ElementsAre;

Transcript side(std::vector<std::pair<double, std::string>> said, std::string language) {
  Transcript transcript;
  transcript.language = std::move(language);
  transcript.duration_s = 10;
  transcript.speech_s = 2;
  for (auto& [start_s, text] : said) {
    Segment segment;
    segment.start_s = start_s;
    segment.end_s = start_s + 1;
    segment.text = " " + text;
    transcript.text += segment.text;
    transcript.segments.push_back(segment);
  }
  return transcript;
}

TEST(Channels, AreToldByTheirSide) {
  EXPECT_EQ(channel_name(0, 1), "");
  EXPECT_EQ(channel_name(0, 2), "left");
  EXPECT_EQ(channel_name(1, 2), "right");
  EXPECT_EQ(channel_name(2, 6), "3");
}

TEST(Channels, TakeTurnsByTime) {
  Transcript left = side({{0, "Hello?"}, {4, "Fine."}}, "en");
  Transcript right = side({{2, "How are you doing today?"}}, "de");
  left.warnings = right.warnings = {"cut off"};
  left.missing = right.missing = {{8, 9, "decode_error"}};
  right.missing.push_back({5, 6, "no_text"});
  const Transcript whole = merge_channels({left, right});
  EXPECT_EQ(whole.text, "Hello? How are you doing today? Fine.");
  ASSERT_EQ(whole.segments.size(), 3U);
  EXPECT_EQ(whole.segments[0].channel, "left");
  EXPECT_EQ(whole.segments[1].channel, "right");
  EXPECT_EQ(whole.segments[2].id, 2);
  EXPECT_EQ(whole.language, "de") << "of the side that says more";
  EXPECT_THAT(whole.warnings, ElementsAre("cut off"));
  ASSERT_EQ(whole.missing.size(), 2U);
  EXPECT_EQ(whole.missing[0].begin_s, 5);
  EXPECT_EQ(whole.speech_s, 4);
  EXPECT_EQ(whole.duration_s, 10);
}

TEST(Channels, ASingleOneIsUnchanged) {
  const Transcript whole = merge_channels({side({{0, "Hello?"}}, "en")});
  EXPECT_EQ(whole.text, "Hello?");
  EXPECT_EQ(whole.segments[0].channel, "");
}

}  // namespace
}  // namespace steno::transcribe
