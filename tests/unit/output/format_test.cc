#include "output/format.h"

#include <gtest/gtest.h>

#include <set>

namespace steno::output {
namespace {

TEST(Format, IsFoundByItsName) {
  for (const Format format : kAllFormats) EXPECT_EQ(find_format(name(format)), format);
}

TEST(Format, TextIsTheApiNameOfTxt) {
  EXPECT_EQ(find_format("text"), Format::kTxt);
}

TEST(Format, UnknownNamesAreNotFound) {
  for (const char* unknown : {"", "SRT", "srt ", "diarized_json", "docx"}) {
    EXPECT_EQ(find_format(unknown), std::nullopt) << unknown;
  }
}

TEST(Format, NoTwoExtensionsAreTheSame) {
  std::set<std::string_view> extensions;
  for (const Format format : kAllFormats) {
    EXPECT_EQ(extension(format).front(), '.');
    EXPECT_TRUE(extensions.insert(extension(format)).second) << extension(format);
  }
}

}  // namespace
}  // namespace steno::output
