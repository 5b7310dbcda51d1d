#include "base/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/utf8.h"

namespace steno::json {
namespace {

std::string parse_failure(std::string_view text) {
  try {
    parse(text, "config.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidModel);
    EXPECT_TRUE(utf8::is_valid(error.what()));
    return error.what();
  }
  return "parsed";
}

std::string nested_arrays(int depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(Json, ParsesValues) {
  const nlohmann::json value = parse(R"({"a": [1, -2.5, "x\u00e9", null, true]})", "config.json");
  EXPECT_EQ(value["a"][0], 1);
  EXPECT_EQ(value["a"][1], -2.5);
  EXPECT_EQ(value["a"][2], "xé");
}

TEST(Json, MalformedTextNamesFileAndByte) {
  EXPECT_EQ(parse_failure(R"({"a": })").find("config.json: not valid JSON at byte 7: parse error"),
            0u);
  for (const char* text : {"", " ", "{", "[1,]", "{\"a\" 1}", "nul", "[1] 2", "\"\xFF\"", "\xFF",
                           R"("\ud800")", "\"\n\"", "1e999"}) {
    EXPECT_EQ(parse_failure(text).find("config.json: not valid JSON"), 0u) << text;
  }
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_NO_THROW(parse(nested_arrays(256), "config.json"));
  EXPECT_EQ(parse_failure(nested_arrays(257)), "config.json: JSON nested deeper than 256 levels");
  EXPECT_EQ(parse_failure(std::string(1 << 20, '[')),
            "config.json: JSON nested deeper than 256 levels");
}

TEST(Json, RefusesMoreThanAnyModelNeeds) {
  std::string many = "[0";
  for (int i = 1; i < 2'000'000; ++i) many += ",0";
  EXPECT_EQ(parse_failure(many + "]"), "config.json: JSON of more than 2000000 values");
  many.resize(many.size() - 2);  // with the array itself it is two million
  EXPECT_NO_THROW(parse(many + "]", "config.json"));
  EXPECT_EQ(parse_failure(std::string((64 << 20) + 1, ' ')),
            "config.json: 64 MiB of JSON, expected at most 64");
}

TEST(Json, PrintsInOrderCompactOrIndented) {
  nlohmann::ordered_json value;
  value["z"] = 1;
  value["a"] = "é";
  EXPECT_EQ(print(value), R"({"z":1,"a":"é"})");
  EXPECT_EQ(print(value, 2), "{\n  \"z\": 1,\n  \"a\": \"é\"\n}");
}

TEST(Json, PrintIsAlwaysValid) {
  nlohmann::ordered_json value;
  value["text"] = "a\xFF\xE2\x82";
  value["nan"] = std::numeric_limits<double>::quiet_NaN();
  value["inf"] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(print(value), R"({"text":"a��","nan":null,"inf":null})");
}

}  // namespace
}  // namespace steno::json
