#include "audio/source.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "audio/decoder.h"
#include "support/audio_sources.h"
#include "support/audio_wav.h"

namespace steno::audio {
namespace {

using test::failure_of;

TEST(Source, MissingFile) {
  const auto failure = failure_of([] { Source::file("/nowhere/a.wav").open(); });
  EXPECT_EQ(failure.code, ErrorCode::kNotFound);
  EXPECT_EQ(failure.message, "audio: /nowhere/a.wav: there is no such file");
}

TEST(Source, Directory) {
  const test::TemporaryFolder folder;
  const auto failure = failure_of([&] { Source::file(folder.path()).open(); });
  EXPECT_EQ(failure.code, ErrorCode::kInvalidAudio);
  EXPECT_TRUE(failure.message.ends_with("is a directory; name the files in it"));
}

TEST(Source, UnreadableFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "secret.wav";
  test::write_bytes(path, "x");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const auto failure = failure_of([&] { Source::file(path).open(); });
  EXPECT_EQ(failure.code, ErrorCode::kNotFound);
  EXPECT_NE(failure.message.find("permission denied"), std::string::npos);
}

TEST(Source, DescriptorOfAFileStartsWhereItStands) {
  const test::TemporaryFolder folder;
  const auto path = folder.path() / "a";
  test::write_bytes(path, "skip" + test::wav({}, test::raw<std::int16_t>({16384, -16384})));
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::lseek(fd, 4, SEEK_SET), 4);
  EXPECT_EQ(decode_all(Source::descriptor(fd, "fd")), (std::vector<float>{0.5F, -0.5F}));
  ::close(fd);
}

TEST(Source, NamesForPeopleAreValidUtf8) {
  EXPECT_EQ(Source::memory("", "a\xFF.wav").name(), "a\xEF\xBF\xBD.wav");
  EXPECT_EQ(Source::file("a\xFF.wav").name(), "a\xEF\xBF\xBD.wav");
}

TEST(Source, FilesAndMemoryOpenMoreThanOnce) {
  const Source source = Source::memory(test::wav({}, test::raw<std::int16_t>({1, 2, 3})), "x");
  EXPECT_EQ(decode_all(source), decode_all(source));
}

}  // namespace
}  // namespace steno::audio
