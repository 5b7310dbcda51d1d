#include "base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "base/check.h"

namespace steno {
namespace {

constexpr ErrorCode kAll[] = {ErrorCode::kUsage,       ErrorCode::kInvalidValue,
                              ErrorCode::kUnsupported, ErrorCode::kInvalidAudio,
                              ErrorCode::kNotFound,    ErrorCode::kInvalidModel,
                              ErrorCode::kUnavailable, ErrorCode::kInternal};

TEST(ErrorTest, EveryCodeHasItsOwnNameAndItsPlaceAtTheDoors) {
  std::set<std::string_view> names;
  for (const ErrorCode code : kAll) {
    const ErrorInfo& i = info(code);
    EXPECT_TRUE(names.insert(i.name).second) << i.name;
    EXPECT_TRUE(i.http_status >= 400 && i.http_status < 600);
    EXPECT_EQ(i.openai_type, i.http_status < 500 ? "invalid_request_error" : "server_error");
    EXPECT_NE(i.exit_code, 0);
    EXPECT_EQ(i.retryable, i.exit_code == 75) << i.name;
  }
}

TEST(ErrorTest, CarriesItsMessageAndCode) {
  const Error error(ErrorCode::kNotFound, "{}: no such {}", "a.wav", "file");
  EXPECT_STREQ(error.what(), "a.wav: no such file");
  EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  // A message that is already whole is not read as a format.
  EXPECT_STREQ(Error(ErrorCode::kUsage, std::string("{} {x")).what(), "{} {x");
}

TEST(CheckTest, AFailureIsAnInternalErrorThatSaysWhere) {
  const int rows = 3;
  EXPECT_NO_THROW(STENO_CHECK(rows == 3));
  try {
    STENO_CHECK(rows == 4, "{} rows", rows);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInternal);
    const std::string message = error.what();
    EXPECT_NE(message.find("rows == 4"), std::string::npos) << message;
    EXPECT_NE(message.find("3 rows"), std::string::npos) << message;
    EXPECT_NE(message.find("error_test.cc"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace steno
