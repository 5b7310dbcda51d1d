#include "audio/xing.h"

#include <gtest/gtest.h>

#include <string>

namespace steno::audio {
namespace {

using namespace std::string_literals;

std::optional<std::int64_t> find(const std::string& bytes) {
  return find_xing_bytes(std::as_bytes(std::span(bytes)));
}

TEST(Xing, FindsTheBytesInEveryFrameLayout) {
  for (const int offset : {36, 21, 13}) {
    std::string frame(200, '\0');
    frame.replace(0, 4, "\xFF\xFB\x90\x00"s);
    frame.replace(offset, 16, "Info\0\0\0\x0F\0\0\0\x64\0\1\0\0"s);
    EXPECT_EQ(find(frame), 65536) << offset;
    frame.replace(offset, 12, "Xing\0\0\0\x02\0\0\1\0"s);  // bytes without frames
    EXPECT_EQ(find(frame), 256) << offset;
    frame.replace(offset, 8, "Xing\0\0\0\x01"s);
    EXPECT_FALSE(find(frame)) << offset;
  }
}

TEST(Xing, OtherBytesSayNothing) {
  EXPECT_FALSE(find(""));
  EXPECT_FALSE(find(std::string(500, '\xFF')));
  EXPECT_FALSE(find(std::string(36, '\0') + "Info"));
}

}  // namespace
}  // namespace steno::audio
