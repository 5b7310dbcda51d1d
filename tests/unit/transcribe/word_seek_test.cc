// The seek by words against whisper.transcribe on a model that says anything. Vectors:
// tests/golden/whisper/word_times.json, made by tools/reference.
#include "transcribe/word_seek.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "support/golden.h"

namespace steno::transcribe {
namespace {

std::vector<Segment> segments_from(const nlohmann::json& json) {
  std::vector<Segment> segments;
  for (const nlohmann::json& s : json) {
    Segment segment;
    segment.start_s = s["start"].get<double>();
    segment.end_s = s["end"].get<double>();
    for (const nlohmann::json& w : s["words"]) {
      segment.words.push_back({w["word"].get<std::string>(), w["start"].get<double>(),
                               w["end"].get<double>(), w["probability"].get<double>()});
    }
    segments.push_back(std::move(segment));
  }
  return segments;
}

Segment spoken(double start_s, double end_s, std::vector<Word> words = {}) {
  Segment segment;
  segment.start_s = start_s;
  segment.end_s = end_s;
  segment.words = std::move(words);
  return segment;
}

TEST(WordSeek, IsTheReferences) {
  const nlohmann::json cases =
      golden::load_json(golden::folder() / "whisper" / "word_times.json")["seek"];
  int num_windows = 0;
  int num_dropped = 0;
  for (const nlohmann::json& c : cases) {
    for (const nlohmann::json& w : c["windows"]) {
      SCOPED_TRACE(w.dump());
      const std::vector<Segment> segments = segments_from(w["segments"]);
      SeekWindow window;
      window.first_frame = w["first_frame"].get<std::int64_t>();
      window.num_frames = w["num_frames"].get<std::int64_t>();
      window.window_frames = 3000;
      window.content_frames = c["content_frames"].get<std::int64_t>();
      window.ends_in_single_timestamp = w["ends_in_single_timestamp"].get<bool>();
      window.last_speech_s = w["last_speech"].get<double>();
      if (!c["threshold"].is_null()) window.silence_threshold_s = c["threshold"].get<double>();
      // By timestamps; where there are words and no single timestamp, the words decide.
      window.next_frame = window.first_frame + window.num_frames;
      const WordSeek seek = seek_by_words(segments, window);
      EXPECT_EQ(seek.num_kept, w["num_kept"].get<std::size_t>());
      if (w["next_frame"].is_null()) {
        EXPECT_GE(seek.next_frame, window.content_frames);
      } else {
        EXPECT_EQ(seek.next_frame, w["next_frame"].get<std::int64_t>());
      }
      ++num_windows;
      if (seek.num_kept < segments.size()) ++num_dropped;
    }
  }
  EXPECT_GE(num_windows, 50);
  EXPECT_GE(num_dropped, 20);
}

TEST(WordSeek, MovesOnFromWordsOfNextToNoTime) {
  const Segment segment = spoken(30.0, 30.004, {{" a", 30.0, 30.004, 0.9}});
  const WordSeek seek = seek_by_words({&segment, 1}, {.first_frame = 3000,
                                                      .num_frames = 2500,
                                                      .window_frames = 3000,
                                                      .content_frames = 5500,
                                                      .next_frame = 4000});
  EXPECT_EQ(seek.next_frame, 5500);
}

TEST(WordSeek, TheLastWordEndsTheSpeechOrElseTheLastSegment) {
  EXPECT_FALSE(last_end_s({}));
  std::vector<Segment> segments(2);
  segments[0] = spoken(1, 3, {{" a", 1, 2, 1}, {" b", 2, 2.5, 1}});
  segments[1] = spoken(3, 4);
  EXPECT_EQ(last_end_s(segments), 2.5);
  segments[0].words.clear();
  EXPECT_EQ(last_end_s(segments), 4);
}

}  // namespace
}  // namespace steno::transcribe
