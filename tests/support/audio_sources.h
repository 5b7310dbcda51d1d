// Sources for tests: fixtures, pipes, and the message of an expected error.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>
#include <utility>

#include "audio/source.h"
#include "base/error.h"

namespace steno::test {

inline std::filesystem::path audio_fixture(const std::string& name) {
  return std::filesystem::path(STENO_SOURCE_DIR) / "tests/support/audio_fixtures" / name;
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// Bytes through a real pipe, written by a thread.
class Pipe {
 public:
  explicit Pipe(std::string bytes) {
    EXPECT_EQ(::pipe(ends_), 0);
    writer_ = std::thread([this, bytes = std::move(bytes)] {
      std::size_t done = 0;
      while (done < bytes.size()) {
        const ssize_t count = ::write(ends_[1], bytes.data() + done, bytes.size() - done);
        if (count <= 0) break;
        done += static_cast<std::size_t>(count);
      }
      ::close(ends_[1]);
    });
  }
  ~Pipe() {
    writer_.join();
    ::close(ends_[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  audio::Source source() const { return audio::Source::descriptor(ends_[0], "pipe"); }

 private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

// A fresh folder, removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "steno-test-XXXXXX").native();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Failure {
  ErrorCode code;
  std::string message;
};

inline Failure failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << "expected an Error";
  return {ErrorCode::kInternal, ""};
}

}  // namespace steno::test
