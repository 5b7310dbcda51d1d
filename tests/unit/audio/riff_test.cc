#include "audio/riff.h"

#include <gtest/gtest.h>

#include "support/audio_huge.h"

namespace steno::audio {
namespace {

using test::append;

std::optional<DataChunk> find(const std::string& bytes) {
  return find_data_chunk(std::as_bytes(std::span(bytes)));
}

TEST(Riff, FindsTheClaim) {
  const auto chunk = find(test::wav({}, std::string(100, 'x'), 4000));
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->offset_bytes, 44);
  EXPECT_EQ(chunk->claimed_bytes, 4000);
}

TEST(Riff, SkipsOtherChunksOfOddSize) {
  std::string bytes = test::wav_header({}, 4000);
  bytes.insert(12, std::string("LIST\3\0\0\0abc\0", 12));
  const auto chunk = find(bytes);
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->offset_bytes, 56);
}

TEST(Riff, UnknownSizesAreNoClaim) {
  EXPECT_FALSE(find(test::wav_header({}, 0)));
  EXPECT_FALSE(find(test::wav_header({}, 0xFFFFFFFF)));
}

TEST(Riff, Rf64TakesTheSizeFromDs64) {
  std::string bytes = test::wav_header({}, 0xFFFFFFFF);
  bytes.replace(0, 4, "RF64");
  std::string ds64 = "ds64";
  append<std::uint32_t>(ds64, 28);
  append<std::uint64_t>(ds64, 0);
  append<std::uint64_t>(ds64, 5'000'000'000);
  append<std::uint64_t>(ds64, 0);
  append<std::uint32_t>(ds64, 0);
  bytes.insert(12, ds64);
  const auto chunk = find(bytes);
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->claimed_bytes, 5'000'000'000);
}

TEST(Riff, Wave64HasSizesThatCountTheirOwnHead) {
  const std::string bytes = test::w64_header({}, 5'000'000'000);
  const auto chunk = find(bytes);
  ASSERT_TRUE(chunk);
  EXPECT_EQ(chunk->offset_bytes, std::ssize(bytes));
  EXPECT_EQ(chunk->claimed_bytes, 5'000'000'000);
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(find(bytes.substr(0, size)));
  for (const char* hostile :
       {"\0\0\0\0\0\0\0\0", "\x17\0\0\0\0\0\0\0", "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"}) {
    std::string broken = bytes;
    broken.replace(56, 8, std::string(hostile, 8));  // size of 'fmt '
    EXPECT_FALSE(find(broken));
  }
}

TEST(Riff, EveryPrefixAndHostileSizesAreHarmless) {
  const std::string bytes = test::wav_header({.extensible = true}, 4000);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(find(bytes.substr(0, size))) << size;
  std::string hostile = bytes;
  hostile.replace(16, 4, "\xFF\xFF\xFF\xFF");  // size of 'fmt '
  EXPECT_FALSE(find(hostile));
}

}  // namespace
}  // namespace steno::audio
