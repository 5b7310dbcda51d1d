#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

#include "base/error.h"

namespace steno::file {
namespace {

namespace fs = std::filesystem;

class FileTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "steno-file-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::size_t num_entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

ErrorCode code_thrown(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "nothing was thrown";
  return ErrorCode::kInternal;
}

TEST_F(FileTest, ReadsBackWhatWasWritten) {
  for (const std::size_t size : {0, 1, 4095, 4096, 4097, 300000}) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7);
    write_atomically(folder_ / "a", content);
    EXPECT_EQ(read(folder_ / "a"), content);
    EXPECT_EQ(num_entries(), 1u);  // no temporary stays behind
  }
}

TEST_F(FileTest, ReadsFilesThatDoNotKnowTheirSize) {
  EXPECT_FALSE(read("/proc/self/status").empty());
}

TEST_F(FileTest, ReadLimitIsInclusive) {
  write_atomically(folder_ / "a", std::string(5000, 'x'));
  EXPECT_EQ(read(folder_ / "a", 5000).size(), 5000u);
  EXPECT_EQ(code_thrown([&] { read(folder_ / "a", 4999); }), ErrorCode::kInvalidValue);
  EXPECT_EQ(code_thrown([&] { read(folder_ / "a", 0); }), ErrorCode::kInvalidValue);
}

TEST_F(FileTest, ReadRefusesWhatIsNoRegularFile) {
  EXPECT_EQ(code_thrown([&] { read(folder_ / "none"); }), ErrorCode::kNotFound);
  EXPECT_EQ(code_thrown([&] { read(folder_); }), ErrorCode::kNotFound);
  EXPECT_EQ(code_thrown([&] { read("/dev/null"); }), ErrorCode::kNotFound);
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(code_thrown([&] { read(folder_ / "pipe"); }), ErrorCode::kNotFound);
}

TEST_F(FileTest, MessageNamesThePathAndTheReason) {
  try {
    read(folder_ / "none");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()),
              (folder_ / "none").string() + ": cannot open: No such file or directory");
  }
}

TEST_F(FileTest, WriteReplacesAndHonoursTheUmask) {
  write_atomically(folder_ / "a", "old");
  const mode_t before = ::umask(022);
  write_atomically(folder_ / "a", "new");
  ::umask(before);
  EXPECT_EQ(read(folder_ / "a"), "new");
  EXPECT_EQ(fs::status(folder_ / "a").permissions(), fs::perms{0644});
}

TEST_F(FileTest, WriteThroughALinkKeepsTheLink) {
  write_atomically(folder_ / "target", "old");
  fs::create_symlink("target", folder_ / "link");
  write_atomically(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read(folder_ / "target"), "new");
}

TEST_F(FileTest, WriteKeepsDevicesAndPipes) {
  write_atomically("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));

  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  write_atomically(pipe, "text");
  char got[8] = {};
  EXPECT_EQ(::read(reader, got, sizeof got), 4);
  ::close(reader);
  EXPECT_EQ(std::string(got), "text");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST_F(FileTest, FailedWriteLeavesNothing) {
  EXPECT_EQ(code_thrown([&] { write_atomically(folder_ / "no" / "a", "x"); }),
            ErrorCode::kNotFound);
  EXPECT_EQ(code_thrown([&] { write_atomically(folder_, "x"); }), ErrorCode::kInvalidValue);
  EXPECT_EQ(code_thrown([&] { write_atomically(folder_ / std::string(300, 'n'), "x"); }),
            ErrorCode::kInvalidValue);
  EXPECT_EQ(code_thrown([&] { write_atomically("/dev/full", "x"); }), ErrorCode::kUnavailable);
  EXPECT_EQ(num_entries(), 0u);
}

TEST_F(FileTest, WritesIntoTheCurrentFolder) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  write_atomically("plain", "x");
  fs::current_path(before);
  EXPECT_EQ(read(folder_ / "plain"), "x");
}

}  // namespace
}  // namespace steno::file
