#include "hub/model_id.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace steno::hub {
namespace {

TEST(ModelId, NamesAndRevisions) {
  EXPECT_EQ(parse_model_id("openai/whisper-small").repository, "openai/whisper-small");
  EXPECT_EQ(parse_model_id("openai/whisper-small").revision, "main");
  EXPECT_EQ(parse_model_id("org/na.me_1@refs/pr/1").revision, "refs/pr/1");
  EXPECT_EQ(parse_model_id("large-v3@v2").text(), "openai/whisper-large-v3@v2");
  EXPECT_EQ(parse_model_id("org/name@main").text(), "org/name");
}

TEST(ModelId, RefusesWhatCouldLeaveTheCacheOrTheUrl) {
  for (const char* name :
       {"",           "name",       "a/b/c",  "/b",      "a/",      "../b",    "a/..",
        "a/.b",       "a--b/c",     "a/b--c", "-a/b",    "a/b?c",   "a/b c",   "a/b%2e",
        "a/b\n",      "a/\xc3\xa9", "a/b@",   "a/b@..",  "a/b@/x",  "a/b@x/",  "a/b@x//y",
        "a/b@x/../y", "a/b@-x",     "a/b@.x", "a/b@x?y", "a/b@x y", "a/b@x#y", "http://x/y"}) {
    EXPECT_THROW(parse_model_id(name), Error) << name;
  }
  EXPECT_THROW(parse_model_id("a/" + std::string(97, 'x')), Error);
}

TEST(ModelId, GitHashes) {
  EXPECT_TRUE(is_git_hash(std::string(40, 'a')));
  EXPECT_TRUE(is_git_hash(std::string(64, '0')));
  for (const std::string& text : {std::string(39, 'a'), std::string(40, 'A'), std::string(40, 'g'),
                                  std::string("../") + std::string(37, 'a')}) {
    EXPECT_FALSE(is_git_hash(text)) << text;
  }
}

TEST(ModelId, PercentEncoding) {
  EXPECT_EQ(percent_encode("refs/pr/1"), "refs%2Fpr%2F1");
  EXPECT_EQ(percent_encode("a-b_c.d~e"), "a-b_c.d~e");
  EXPECT_EQ(percent_encode("a b?c\xc3\xa9"), "a%20b%3Fc%C3%A9");
}

}  // namespace
}  // namespace steno::hub
