#include "hub/http.h"

#include <gtest/gtest.h>

namespace steno::hub {
namespace {

TEST(Http, OriginsAreSchemeHostAndPort) {
  EXPECT_EQ(origin_of("https://huggingface.co/api"), "https://huggingface.co:443");
  EXPECT_EQ(origin_of("HTTPS://HuggingFace.co:443"), "https://huggingface.co:443");
  EXPECT_EQ(origin_of("http://a"), "http://a:80");
  EXPECT_EQ(origin_of("http://a:8080/x:1"), "http://a:8080");
  EXPECT_EQ(origin_of("http://[::1]/x"), "http://[::1]:80");
  EXPECT_EQ(origin_of("http://[::1]:8080"), "http://[::1]:8080");
  EXPECT_NE(origin_of("https://huggingface.co.evil.org"), origin_of("https://huggingface.co"));
  EXPECT_NE(origin_of("http://huggingface.co"), origin_of("https://huggingface.co"));
  for (const char* url : {"", "/path", "file:///etc/passwd", "ftp://a", "https://", "https:///x",
                          "https://huggingface.co@evil.org/", "huggingface.co"}) {
    EXPECT_EQ(origin_of(url), "") << url;
  }
}

TEST(Http, RedirectsNeverFallBackToPlainHttp) {
  EXPECT_TRUE(may_follow("https://a/x", "https://b/y"));
  EXPECT_TRUE(may_follow("http://a/x", "https://b/y"));
  EXPECT_TRUE(may_follow("http://a/x", "http://b/y"));
  EXPECT_FALSE(may_follow("https://a/x", "http://a/x"));
  EXPECT_FALSE(may_follow("http://a/x", "file:///etc/passwd"));
  EXPECT_FALSE(may_follow("http://a/x", ""));
}

TEST(Http, WhatIsWorthAnotherTry) {
  const auto is_transient = [](int status, const char* failure) {
    Answer answer;
    answer.status = status;
    answer.failure = failure;
    return answer.is_transient();
  };
  for (const int status : {408, 429, 500, 502, 503, 504}) EXPECT_TRUE(is_transient(status, ""));
  for (const int status : {200, 206, 401, 403, 404, 416}) EXPECT_FALSE(is_transient(status, ""));
  EXPECT_TRUE(is_transient(0, "connection refused"));
  EXPECT_TRUE(is_transient(200, "the connection broke"));
  EXPECT_FALSE(is_transient(302, "a redirect that is refused"));
}

}  // namespace
}  // namespace steno::hub
