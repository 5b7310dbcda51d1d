// What is not audio is refused by name, and what names other files never opens them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "audio/decoder.h"
#include "support/audio_sources.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

using test::audio_fixture;
using test::failure_of;

std::string refusal(const std::string& bytes) {
  const auto failure = failure_of([&] { decode_all(Source::memory(bytes, "upload.mp3")); });
  EXPECT_EQ(failure.code, ErrorCode::kInvalidAudio);
  EXPECT_TRUE(failure.message.starts_with("audio: upload.mp3: ")) << failure.message;
  return failure.message;
}

TEST(Unreadable, empty_input) {
  EXPECT_EQ(refusal(""), "audio: upload.mp3: the input is empty (0 bytes)");
}

TEST(Unreadable, video_only_mp4) {
  const auto failure =
      failure_of([] { decode_all(Source::file(audio_fixture("video_only.mp4"))); });
  EXPECT_EQ(failure.code, ErrorCode::kInvalidAudio);
  EXPECT_NE(failure.message.find("no audio stream in this mp4 (found: 1 video h264)"),
            std::string::npos)
      << failure.message;
}

TEST(Unreadable, text_zip_and_random_bytes) {
  EXPECT_NE(refusal(std::string(5000, 'a')).find("starting with 61 61"), std::string::npos);
  EXPECT_NE(refusal("PK\3\4" + std::string(5000, '\7')).find("starting with 50 4b 03 04"),
            std::string::npos);
  EXPECT_NE(refusal("x").find("1 bytes"), std::string::npos);
  unsigned state = 3;
  std::string garbage(50000, '\0');
  for (char& byte : garbage) {
    state = state * 1664525U + 1013904223U;
    byte = static_cast<char>(state >> 24);
  }
  refusal(garbage);
}

TEST(Unreadable, pictures_and_subtitles_are_named) {
  EXPECT_NE(refusal(test::read_bytes(audio_fixture("picture.png"))).find("'png_pipe'"),
            std::string::npos);
  std::string subtitles;
  for (int i = 1; i < 9; ++i) {
    subtitles += std::to_string(i) + "\n00:00:01,000 --> 00:00:02,000\nhello\n\n";
  }
  EXPECT_NE(refusal(subtitles).find("'srt'"), std::string::npos);
}

TEST(Unreadable, a_header_without_its_index) {
  const std::string bytes = test::read_bytes(audio_fixture("tone.m4a"));
  const std::string message = refusal(bytes.substr(0, bytes.size() / 2));
  EXPECT_NE(message.find("looks like mp4 but cannot be opened (FFmpeg: moov atom not found)"),
            std::string::npos)
      << message;
}

// The access time of the file that a playlist names must not change; so that it would, it is set
// long before the last change (relatime).
class Playlist : public testing::Test {
 protected:
  Playlist() {
    test::write_bytes(named_, test::wav({}, std::string(32000, '\1')));
    const timespec times[2] = {{1000, 0}, {2000, 0}};
    EXPECT_EQ(::utimensat(AT_FDCWD, named_.c_str(), times, 0), 0);
  }

  void expect_untouched() const {
    struct stat status {};
    ASSERT_EQ(::stat(named_.c_str(), &status), 0);
    EXPECT_EQ(status.st_atim.tv_sec, 1000);
  }

  void expect_refused(const std::string& bytes, const std::string& format) const {
    EXPECT_NE(refusal(bytes).find("'" + format + "'"), std::string::npos) << refusal(bytes);
    const auto path = folder_.path() / "list";
    test::write_bytes(path, bytes);
    EXPECT_EQ(failure_of([&] { decode_all(Source::file(path)); }).code, ErrorCode::kInvalidAudio);
    expect_untouched();
  }

  test::TemporaryFolder folder_;
  std::filesystem::path named_ = folder_.path() / "named.wav";
};

TEST_F(Playlist, hls) {
  expect_refused(
      "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n" + named_.native() + "\n#EXT-X-ENDLIST\n",
      "hls");
}

TEST_F(Playlist, concat) {
  expect_refused("ffconcat version 1.0\nfile '" + named_.native() + "'\n", "concat");
}

TEST_F(Playlist, dash) {
  expect_refused(
      "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\" "
      "profiles=\"urn:mpeg:dash:profile:isoff-on-demand:2011\"><Period><AdaptationSet><"
      "Representation>"
      "<BaseURL>" +
          named_.native() + "</BaseURL></Representation></AdaptationSet></Period></MPD>",
      "dash");
}

TEST_F(Playlist, sdp) {
  expect_refused(
      "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n",
      "sdp");
}

}  // namespace
}  // namespace steno::audio
