#include "weights/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/weights/model_files.h"

namespace steno::weights {
namespace {

using testing::HasSubstr;

std::string open_error(const std::string& bytes) {
  return message_of(ErrorCode::kInvalidModel, [&] { open_safetensors_bytes(bytes); });
}

// One tensor `a` of two f32 with the given rest of its entry.
std::string with_entry(const std::string& entry) {
  return safetensors_file("{\"a\":" + entry + "}", std::string(8, '\0'));
}

TEST(Safetensors, EveryDtypeComesBackAsWritten) {
  const std::string bytes = safetensors_file({
      {"f32", "F32", {2}, bytes_of<float>({1.5f, -2.0f})},
      {"f16", "F16", {2}, bytes_of<std::uint16_t>({0x3e00, 0xc000})},
      {"bf16", "BF16", {2}, bytes_of<std::uint16_t>({0x3fc0, 0xc000})},
      {"i8", "I8", {2}, bytes_of<std::int8_t>({1, -2})},
      {"u8", "U8", {2}, bytes_of<std::uint8_t>({1, 254})},
      {"i16", "I16", {2}, bytes_of<std::int16_t>({1, -2})},
      {"i32", "I32", {2}, bytes_of<std::int32_t>({1, -2})},
      {"i64", "I64", {2}, bytes_of<std::int64_t>({1, -2})},
  });
  const auto checkpoint = open_safetensors_bytes(bytes);
  EXPECT_EQ(checkpoint->tensors().size(), 8u);
  EXPECT_EQ(floats_of(checkpoint->read_f32("f32")), (std::vector<float>{1.5f, -2.0f}));
  EXPECT_EQ(floats_of(checkpoint->read_f32("f16")), (std::vector<float>{1.5f, -2.0f}));
  EXPECT_EQ(floats_of(checkpoint->read_f32("bf16")), (std::vector<float>{1.5f, -2.0f}));
  EXPECT_EQ(floats_of(checkpoint->read_f32("u8")), (std::vector<float>{1, 254}));
  for (const char* name : {"i8", "i16", "i32", "i64"}) {
    EXPECT_EQ(floats_of(checkpoint->read_f32(name)), (std::vector<float>{1, -2})) << name;
    EXPECT_EQ(steno::name(checkpoint->read(name).dtype()), name);
  }
  EXPECT_EQ(checkpoint->read("i64").data<std::int64_t>()[1], -2);
  EXPECT_EQ(checkpoint->read("f16").data<std::uint16_t>()[1], 0xc000);
}

TEST(Safetensors, ScalarsAndEmptyTensors) {
  const std::string bytes = safetensors_file({{"scalar", "F32", {}, bytes_of_one(2.5f)},
                                              {"empty", "F32", {0, 4}, ""},
                                              {"last", "U8", {1}, "x"}});
  const auto checkpoint = open_safetensors_bytes(bytes);
  EXPECT_EQ(checkpoint->find("scalar")->shape.rank(), 0);
  EXPECT_EQ(floats_of(checkpoint->read_f32("scalar")), (std::vector<float>{2.5f}));
  EXPECT_EQ(checkpoint->read_f32("empty").num_elements(), 0);
}

TEST(Safetensors, RowsAreSlicesOfTheWhole) {
  constexpr int kRows = 7;
  constexpr int kColumns = 50'000;  // more than one piece of the reader
  std::vector<std::uint16_t> values(kRows * kColumns);
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<std::uint16_t>(i % 0x7c00);
  const std::string bytes = safetensors_file({{"w", "F16", {kRows, kColumns}, bytes_of(values)}});
  const auto checkpoint = open_safetensors_bytes(bytes);
  const std::vector<float> whole = floats_of(checkpoint->read_f32("w"));
  for (int first = 0; first <= kRows; ++first) {
    const int num_rows = std::min(3, kRows - first);
    std::vector<float> rows(static_cast<std::size_t>(num_rows) * kColumns);
    checkpoint->read_f32_rows("w", first, num_rows, rows.data());
    EXPECT_TRUE(std::equal(rows.begin(), rows.end(), whole.begin() + first * kColumns)) << first;
  }
}

TEST(Safetensors, WhatItCannotReadIsListedAndRefusedByName) {
  const std::string bytes = safetensors_file(
      {{"f64", "F64", {1}, bytes_of_one(1.0)}, {"deep", "U8", {1, 1, 1, 1, 2}, "ab"}});
  const auto checkpoint = open_safetensors_bytes(bytes);
  ASSERT_EQ(checkpoint->tensors().size(), 2u);
  const auto read_error = [&](const char* name) {
    return message_of(ErrorCode::kInvalidModel, [&] { checkpoint->read_f32(name); });
  };
  EXPECT_THAT(read_error("f64"), HasSubstr("'f64' cannot be read: its element type is 'F64'"));
  EXPECT_THAT(read_error("deep"), HasSubstr("'deep' cannot be read: it has 5 dimensions"));
  EXPECT_THAT(read_error("none"), HasSubstr("model.safetensors: has no tensor 'none'"));
}

TEST(Safetensors, HeaderLengthThatLies) {
  EXPECT_THAT(open_error(bytes_of_one<std::uint64_t>(~0ull) + "{}"),
              HasSubstr("the header claims"));
  EXPECT_THAT(open_error(bytes_of_one<std::uint64_t>(100'000'001) + "{}"),
              HasSubstr("more than the 100000000"));
  EXPECT_THAT(
      open_error(bytes_of_one<std::uint64_t>(3) + "{}"),
      HasSubstr("the header claims 3 bytes but the file has 10 (cut off while downloading?)"));
  EXPECT_THAT(open_error("abc"), HasSubstr("has 3 bytes"));
  EXPECT_THAT(open_error(bytes_of_one<std::uint64_t>(0)), HasSubstr("is not JSON"));
}

TEST(Safetensors, MalformedHeaders) {
  EXPECT_THAT(open_error(safetensors_file("[]", "")), HasSubstr("not a JSON object"));
  EXPECT_THAT(open_error(safetensors_file("{\"a\":", "")), HasSubstr("malformed at byte"));
  EXPECT_THAT(open_error(safetensors_file("{\"a\":[[[[[[]]]]]]}", "")),
              HasSubstr("nested too deep"));
  EXPECT_THAT(open_error(safetensors_file("{\"a\":1e999}", "")), HasSubstr("no double can hold"));
  for (const char* entry : {
           R"(7)",
           R"({})",
           R"({"dtype":"F32","shape":[2]})",
           R"({"dtype":1,"shape":[2],"data_offsets":[0,8]})",
           R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})",
           R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})",
           R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})",
           R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})",
           R"({"dtype":"F32","shape":[2],"data_offsets":[0,1e30]})",
       }) {
    EXPECT_THAT(open_error(with_entry(entry)), HasSubstr("missing or malformed")) << entry;
  }
}

TEST(Safetensors, OffsetsOutsideTheFile) {
  EXPECT_THAT(open_error(with_entry(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]})")),
              HasSubstr("'a': claims bytes 0 to 12 of 8 bytes"));
  EXPECT_THAT(open_error(with_entry(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})")),
              HasSubstr("claims bytes 8 to 0"));
  EXPECT_THAT(open_error(with_entry(
                  R"({"dtype":"F32","shape":[2],"data_offsets":[1,18446744073709551615]})")),
              HasSubstr("claims bytes"));
}

TEST(Safetensors, ShapesThatDoNotFillTheirBytes) {
  for (const char* shape : {"[1]", "[3]", "[4294967296,4294967296]", "[4611686018427387905]",
                            "[9223372036854775808,2]", "[2,18446744073709551615]", "[0]"}) {
    EXPECT_THAT(open_error(with_entry(
                    fmt::format(R"({{"dtype":"F32","shape":{},"data_offsets":[0,8]}})", shape))),
                HasSubstr("do not fill 8 bytes"))
        << shape;
  }
  // Empty by a zero, yet with a product of the rest that would overflow strides.
  EXPECT_THAT(open_error(with_entry(
                  R"({"dtype":"F32","shape":[0,4294967296,4294967296],"data_offsets":[0,0]})")),
              HasSubstr("do not fill 0 bytes"));
}

TEST(Safetensors, OverlappingTensors) {
  const std::string header = R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                             R"("b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})";
  EXPECT_THAT(open_error(safetensors_file(header, std::string(8, '\0'))),
              HasSubstr("the tensors 'a' and 'b' overlap"));
}

TEST(Safetensors, ANameTwice) {
  const std::string entry = R"({"dtype":"U8","shape":[4],"data_offsets":[0,4]})";
  EXPECT_THAT(open_error(safetensors_file("{\"a\":" + entry + ",\"a\":" + entry + "}", "xxxx")),
              HasSubstr("the name 'a' occurs twice"));
}

TEST(Safetensors, NamesCannotBreakAMessage) {
  const std::string message =
      open_error(safetensors_file("{\"a\\u0000\\n\\u001b[31m\\u00e4\":7}", ""));
  EXPECT_THAT(message, HasSubstr(R"('a\x00\x0a\x1b[31m\xc3\xa4')"));
  const std::string long_name =
      open_error(safetensors_file("{\"" + std::string(5000, 'n') + "\":7}", ""));
  EXPECT_LT(long_name.size(), 400u);
}

}  // namespace
}  // namespace steno::weights
