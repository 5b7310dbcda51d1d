#include "cli/bench_manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/error.h"

namespace steno::cli {
namespace {

using testing::HasSubstr;

std::string refusal(const std::string& text) {
  try {
    parse_manifest(text, "in/set.jsonl", "");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidValue);
    return error.what();
  }
  return "accepted";
}

TEST(ParseManifest, ReadsALineAsAnItem) {
  const auto items = parse_manifest(
      R"({"id": "one", "path": "a.wav", "language": "English", "text": "Hi.", "set": "x", "n": 1})"
      "\r\n\n"
      R"({"audio": "/b.wav", "lang": "de-DE", "reference": ""})",
      "in/set.jsonl", "");
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].id, "one");
  EXPECT_EQ(items[0].path, "in/a.wav");
  EXPECT_EQ(items[0].language, "en");
  EXPECT_EQ(items[0].set, "x");
  EXPECT_EQ(items[0].reference, "Hi.");
  EXPECT_EQ(items[1].id, "/b.wav");
  EXPECT_EQ(items[1].path, "/b.wav");
  EXPECT_EQ(items[1].language, "de");
  EXPECT_EQ(items[1].set, "");
}

TEST(ParseManifest, TakesNemoLinesWithALanguageForAll) {
  const auto items = parse_manifest(R"({"audio_filepath": "c.wav", "text": "x", "duration": 1.5})",
                                    "set.jsonl", "fr");
  ASSERT_EQ(items.size(), 1u);
  EXPECT_EQ(items[0].path, "c.wav");
  EXPECT_EQ(items[0].language, "fr");
}

TEST(ParseManifest, RefusalsNameTheLine) {
  const std::string good = R"({"path": "a", "language": "en", "text": ""})";
  const std::pair<const char*, const char*> cases[] = {
      {R"({"path": "a")", "object a line"},
      {R"([1])", "array"},
      {R"({"language": "en", "text": "x"})", "no 'path'"},
      {R"({"path": "", "language": "en", "text": "x"})", "no 'path'"},
      {R"({"path": "-", "language": "en", "text": "x"})", "'-' is no file"},
      {R"({"path": "a\u0000b", "language": "en", "text": "x"})", "is no file"},
      {R"({"path": 7, "language": "en", "text": "x"})", "'path' is number"},
      {R"({"path": "a", "language": "en"})", "no 'text'"},
      {R"({"path": "a", "text": "x"})", "-l LANG"},
      {R"({"path": "a", "language": "klingon", "text": "x"})", "'klingon'"},
  };
  for (const auto& [line, message] : cases) {
    EXPECT_THAT(refusal(good + '\n' + line), HasSubstr("in/set.jsonl: line 2")) << line;
    EXPECT_THAT(refusal(good + '\n' + line), HasSubstr(message)) << line;
  }
  EXPECT_THAT(refusal(" \n\n"), HasSubstr("no recordings"));
}

}  // namespace
}  // namespace steno::cli
