#include "base/temporary_file.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "base/error.h"

namespace steno {
namespace {

namespace fs = std::filesystem;

class TemporaryFileTest : public testing::Test {
 protected:
  TemporaryFileTest() {
    if (const char* old = std::getenv("TMPDIR")) old_ = old;
    std::string pattern = (fs::temp_directory_path() / "steno-test-XXXXXX").native();
    folder_ = ::mkdtemp(pattern.data());
    ::setenv("TMPDIR", folder_.c_str(), 1);
  }
  ~TemporaryFileTest() override {
    old_ ? ::setenv("TMPDIR", old_->c_str(), 1) : ::unsetenv("TMPDIR");
    fs::remove_all(folder_);
  }

  fs::path folder_;
  std::optional<std::string> old_;
};

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

TEST_F(TemporaryFileTest, KeepsWhatWasWrittenAndLeavesNoName) {
  TemporaryFile file("test");
  EXPECT_TRUE(fs::is_empty(folder_));
  file.write_at(0, bytes_of("hello world"));
  file.write_at(6, bytes_of("steno"));
  std::string read(5, ' ');
  file.read_at(6, std::as_writable_bytes(std::span(read)));
  EXPECT_EQ(read, "steno");
}

TEST_F(TemporaryFileTest, SaysWhichFolderCannotBeUsed) {
  ::setenv("TMPDIR", (folder_ / "absent").c_str(), 1);
  try {
    const TemporaryFile file("audio: a.mp4");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kUnavailable);
    EXPECT_EQ(
        std::string(error.what()),
        "audio: a.mp4: cannot create a temporary file in " + (folder_ / "absent").native() +
            ": No such file or directory; free some space, or set TMPDIR to a folder that has "
            "some");
  }
}

}  // namespace
}  // namespace steno
