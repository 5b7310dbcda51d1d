#include "hub/download.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hub/digest.h"

namespace steno::hub {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string digest(std::size_t num_digits, const std::string& text) {
  Digest digest(num_digits, text.size());
  for (const char c : text) digest.update({&c, 1});
  return digest.finish();
}

// sha256sum; git hash-object.
TEST(Digest, AreThoseOfTheHub) {
  EXPECT_EQ(digest(64, "abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest(40, "abc"), "f2ba8f84ab5c1bce84a7b441cb1959cfc7093b7f");
  EXPECT_EQ(digest(40, ""), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
}

TEST(Download, PausesDoubleAndFollowTheServer) {
  EXPECT_EQ(pause_before_s(1, 1, std::nullopt), 1);
  EXPECT_EQ(pause_before_s(2, 1, std::nullopt), 2);
  EXPECT_EQ(pause_before_s(4, 1, std::nullopt), 8);
  EXPECT_EQ(pause_before_s(30, 1, std::nullopt), 30);
  EXPECT_EQ(pause_before_s(1, 1, 0), 0);
  EXPECT_EQ(pause_before_s(1, 1, 300), 300);
  EXPECT_EQ(pause_before_s(1, 1, 301), std::nullopt);
}

TEST(Download, RefusalsSayWhatToDoAndKeepTheToken) {
  Settings settings;
  const ModelId id{.repository = "org/name"};
  const auto text = [&](int status) {
    Answer answer;
    answer.status = status;
    return std::string(refusal(answer, id, settings).what());
  };
  EXPECT_THAT(text(401), HasSubstr("set HF_TOKEN"));
  EXPECT_THAT(text(404), HasSubstr("org/name"));
  EXPECT_THAT(text(429), HasSubstr("set HF_TOKEN"));
  settings.token = "hf_secret";
  EXPECT_THAT(text(401), HasSubstr("does not take the token"));
  EXPECT_THAT(text(403), HasSubstr("https://huggingface.co/org/name"));
  for (const int status : {401, 403, 404, 429, 500}) {
    EXPECT_THAT(text(status), Not(HasSubstr("hf_secret")));
  }
}

}  // namespace
}  // namespace steno::hub
