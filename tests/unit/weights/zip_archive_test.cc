#include "weights/zip_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/weights/model_files.h"

namespace steno::weights {
namespace {

using testing::HasSubstr;

std::vector<ZipEntry> entries_of(const std::string& bytes) {
  return read_zip_directory(*borrow_memory(std::as_bytes(std::span(bytes)), "test.pt"));
}

std::string failure(const std::string& bytes) {
  return message_of(ErrorCode::kInvalidModel, [&] { entries_of(bytes); });
}

std::string bytes_at(const std::string& file, const ZipEntry& entry) {
  return file.substr(entry.offset, entry.size_bytes);
}

TEST(ZipArchive, FindsTheBytesOfStoredEntries) {
  const std::string file = zip_file({{.name = "a/one", .bytes = "first"},
                                     {.name = "a/empty", .bytes = ""},
                                     {.name = "a/two", .bytes = "second"}});
  const std::vector<ZipEntry> entries = entries_of(file);
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].name, "a/one");
  EXPECT_EQ(bytes_at(file, entries[0]), "first");
  EXPECT_EQ(bytes_at(file, entries[1]), "");
  EXPECT_EQ(bytes_at(file, entries[2]), "second");
  EXPECT_EQ(entries[0].crc32,
            0x9271ee57U);  // python3 -c "import zlib; print(hex(zlib.crc32(b'first')))"
}

TEST(ZipArchive, Zip64FieldsAndEndRecord) {
  const std::string file = zip_file(
      {{.name = "one", .bytes = "first"}, {.name = "two", .bytes = "second", .is_zip64 = true}},
      /*has_zip64_end=*/true);
  const std::vector<ZipEntry> entries = entries_of(file);
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(bytes_at(file, entries[0]), "first");
  EXPECT_EQ(bytes_at(file, entries[1]), "second");
}

TEST(ZipArchive, ACommentMayHoldTheEndSignature) {
  const std::string comment = "PK\x05\x06 and so on, for longer than an end record is";
  const std::string file = zip_file({{.name = "one", .bytes = "first"}}, false, comment);
  EXPECT_EQ(bytes_at(file, entries_of(file).at(0)), "first");
}

TEST(ZipArchive, RefusesWhatIsNotStoredWhole) {
  EXPECT_THAT(failure(zip_file({{.name = "x", .bytes = "abc", .method = 8}})),
              HasSubstr("'x' is compressed"));
  EXPECT_THAT(failure(zip_file({{.name = "x", .bytes = "abc", .flags = 1}})),
              HasSubstr("'x' is encrypted"));
  EXPECT_THAT(failure(zip_file({{.name = "x", .bytes = "abc", .size_change = 1}})),
              HasSubstr("'x' lies outside the file"));
  EXPECT_THAT(failure(zip_file({{.name = "x", .bytes = "abc", .offset_change = 1000}})),
              HasSubstr("'x' lies outside the file"));
  EXPECT_THAT(failure(zip_file({{.name = "x", .bytes = "abc", .offset_change = 1}})),
              HasSubstr("'x' has no header of its own"));
  EXPECT_THAT(
      failure(zip_file({{.name = "x", .bytes = "a", .offset_change = -1, .is_zip64 = true}})),
      HasSubstr("'x' lies outside the file"));
}

TEST(ZipArchive, RefusesOverlapsAndTwins) {
  const std::string first(100, 'a');
  EXPECT_THAT(failure(zip_file({{.name = "x", .bytes = first, .size_change = 60},
                                {.name = "y", .bytes = first}})),
              HasSubstr("'x' and 'y' overlap"));
  EXPECT_THAT(failure(zip_file({{.name = "x", .bytes = "a"}, {.name = "x", .bytes = "b"}})),
              HasSubstr("'x' is there twice"));
}

TEST(ZipArchive, RefusesWhatIsNoArchive) {
  for (const std::string& bytes :
       {std::string(), std::string("PK\x03\x04"), std::string(100, 'x')}) {
    EXPECT_THAT(failure(bytes), HasSubstr("without its end record"));
  }
  EXPECT_THAT(failure(zip_file({}, true).substr(1)), HasSubstr("zip64 end record"));
}

}  // namespace
}  // namespace steno::weights
