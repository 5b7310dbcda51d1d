#include "weights/ctranslate2.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/weights/model_files.h"

namespace steno::weights {
namespace {

using testing::HasSubstr;

constexpr const char* kF32 = "0";
constexpr const char* kI8 = "1";
constexpr const char* kI16 = "2";
constexpr const char* kI32 = "3";
constexpr const char* kF16 = "4";
constexpr const char* kBF16 = "5";

std::string open_error(const std::string& bytes) {
  return message_of(ErrorCode::kInvalidModel, [&] { open_ct2_bytes(bytes); });
}

TEST(CTranslate2, EveryDtypeInEveryVersion) {
  for (const std::uint32_t version : {4u, 5u, 6u}) {
    const std::string bytes = ct2_file(
        {
            {"f32", kF32, {2, 1}, bytes_of<float>({1.5f, -2.0f})},
            {"f16", kF16, {2}, bytes_of<std::uint16_t>({0x3e00, 0xc000})},
            {"bf16", kBF16, {2}, bytes_of<std::uint16_t>({0x3fc0, 0xc000})},
            {"i8", kI8, {2}, bytes_of<std::int8_t>({1, -2})},
            {"i16", kI16, {2}, bytes_of<std::int16_t>({1, -2})},
            {"i32", kI32, {2}, bytes_of<std::int32_t>({1, -2})},
            {"num_heads", kI16, {}, bytes_of_one<std::int16_t>(8)},
        },
        {}, version);
    const auto checkpoint = open_ct2_bytes(bytes);
    for (const char* name : {"f32", "f16", "bf16"}) {
      EXPECT_EQ(floats_of(checkpoint->read_f32(name)), (std::vector<float>{1.5f, -2.0f})) << name;
    }
    for (const char* name : {"i8", "i16", "i32"}) {
      EXPECT_EQ(floats_of(checkpoint->read_f32(name)), (std::vector<float>{1, -2})) << name;
    }
    EXPECT_EQ(checkpoint->find("f32")->shape, (Shape{2, 1}));
    EXPECT_EQ(checkpoint->find("num_heads")->shape.rank(), 0);
    EXPECT_EQ(floats_of(checkpoint->read_f32("num_heads")), (std::vector<float>{8}));
    EXPECT_THAT(std::string(checkpoint->description()), HasSubstr("model.bin (WhisperSpec)"));
  }
}

TEST(CTranslate2, Int8IsDividedByTheScaleOfItsRow) {
  const std::string bytes = ct2_file({
      {"l/weight", kI8, {3, 2}, bytes_of<std::int8_t>({127, -127, 64, 1, 0, 3})},
      {"l/weight_scale", kF32, {3}, bytes_of<float>({127.0f, 10.0f, 0.5f})},
  });
  const auto checkpoint = open_ct2_bytes(bytes);
  const std::vector<float> expected = {1.0f, -1.0f, 64 / 10.0f, 1 / 10.0f, 0.0f, 6.0f};
  EXPECT_EQ(floats_of(checkpoint->read_f32("l/weight")), expected);
  std::vector<float> rows(4);
  checkpoint->read_f32_rows("l/weight", 1, 2, rows.data());
  EXPECT_EQ(rows, std::vector<float>(expected.begin() + 2, expected.end()));

  EXPECT_EQ(checkpoint->read("l/weight").data<std::int8_t>()[0], 127);  // raw: as the file has it
  EXPECT_EQ(checkpoint->tensors()[checkpoint->find("l/weight")->scale].name, "l/weight_scale");
  EXPECT_TRUE(checkpoint->find("l/weight_scale")->is_scale);
}

TEST(CTranslate2, Int16HasOneScale) {
  for (const std::vector<std::uint64_t>& scale_shape :
       {std::vector<std::uint64_t>{}, std::vector<std::uint64_t>{1}}) {
    const std::string bytes = ct2_file({
        {"w_weight", kI16, {2, 2}, bytes_of<std::int16_t>({1024, -512, 256, 1})},
        {"w_weight_scale", kF32, scale_shape, bytes_of_one(1024.0f)},
    });
    EXPECT_EQ(floats_of(open_ct2_bytes(bytes)->read_f32("w_weight")),
              (std::vector<float>{1.0f, -0.5f, 0.25f, 1 / 1024.0f}));
  }
}

TEST(CTranslate2, AliasesResolve) {
  const std::string bytes =
      ct2_file({{"embeddings", kF32, {1}, bytes_of_one(3.0f)}}, {{"projection", "embeddings"}});
  const auto checkpoint = open_ct2_bytes(bytes);
  EXPECT_EQ(checkpoint->tensors().size(), 1u);
  EXPECT_EQ(checkpoint->find("projection"), checkpoint->find("embeddings"));
  EXPECT_EQ(floats_of(checkpoint->read_f32("projection")), (std::vector<float>{3.0f}));
}

TEST(CTranslate2, ScalesThatDoNotFit) {
  const RawTensor weight = {"weight", kI8, {3, 2}, std::string(6, '\1')};
  EXPECT_THAT(open_error(ct2_file({weight})), HasSubstr("'weight': is quantised but has no scale"));
  EXPECT_THAT(open_error(ct2_file({weight, {"weight_scale", kF32, {2}, std::string(8, '\1')}})),
              HasSubstr("'weight': its scale is f32 [2] but i8 [3, 2]"));
  EXPECT_THAT(open_error(ct2_file({weight, {"weight_scale", kI32, {3}, std::string(12, '\1')}})),
              HasSubstr("its scale is i32"));
}

TEST(CTranslate2, OtherVersionsAndOtherFiles) {
  EXPECT_THAT(open_error(ct2_file({}, {}, 3)), HasSubstr("starts with 3, not a CTranslate2"));
  EXPECT_THAT(open_error(ct2_file({}, {}, 7)), HasSubstr("starts with 7"));
  EXPECT_THAT(open_error("hello world"), HasSubstr("is it a CTranslate2 model?"));
  EXPECT_THAT(open_error(ct2_file({}) + "x"), HasSubstr("1 bytes follow the last alias"));
}

TEST(CTranslate2, HugeCounts) {
  const std::string start = bytes_of_one(6u) + ct2_string("WhisperSpec") + bytes_of_one(3u);
  EXPECT_THAT(open_error(start + bytes_of_one(~0u)), HasSubstr("claims 4294967295 variables"));
  EXPECT_THAT(open_error(start + bytes_of_one(0u) + bytes_of_one(~0u)),
              HasSubstr("claims 4294967295 aliases"));

  const std::string one = start + bytes_of_one(1u) + ct2_string("w");
  const auto dims = [](std::vector<std::uint32_t> values) { return bytes_of(values); };
  EXPECT_THAT(open_error(one + '\2' + dims({65536, 65536}) + '\0' + bytes_of_one(0u)),
              HasSubstr("[65536, 65536] do not fill 0 bytes"));
  EXPECT_THAT(open_error(one + '\4' + dims({~0u, ~0u, ~0u, ~0u}) + '\0' + bytes_of_one(4u)),
              HasSubstr("do not fill 4 bytes"));
  EXPECT_THAT(open_error(one + '\1' + dims({1u << 30}) + '\1' + bytes_of_one(1u << 30)),
              HasSubstr("the data of 'w' at byte"));
  EXPECT_THAT(open_error(one + '\xff' + std::string(8, '\1')), HasSubstr("a dimension at byte"));
}

TEST(CTranslate2, MalformedVariables) {
  const std::string start = bytes_of_one(6u) + ct2_string("WhisperSpec") + bytes_of_one(3u);
  EXPECT_THAT(open_error(start + bytes_of_one(1u) +
                         std::string("\x03\x00"
                                     "abc",
                                     5) +
                         std::string(9, '\0')),
              HasSubstr("does not end in NUL"));
  EXPECT_THAT(open_error(ct2_file({{"w", "6", {1}, "x"}})),
              HasSubstr("element type 6 is not known"));
  EXPECT_THAT(open_error(ct2_file({{"w", kI32, {}, "abcd"}, {"w", kI32, {}, "abcd"}})),
              HasSubstr("the name 'w' occurs twice"));
  EXPECT_THAT(open_error(ct2_file({{"w", "6", {1}, "x"}, {"\x1b[2J\n", kI32, {}, ""}})),
              HasSubstr("'w'"));
  EXPECT_THAT(open_error(ct2_file({{"\x1b[2J\n", kI32, {}, ""}})), HasSubstr(R"('\x1b[2J\x0a')"));
}

TEST(CTranslate2, MalformedAliases) {
  const RawTensor w = {"w", kI32, {}, "abcd"};
  EXPECT_THAT(open_error(ct2_file({w}, {{"a", "b"}})), HasSubstr("alias 'a' leads to 'b'"));
  EXPECT_THAT(open_error(ct2_file({w}, {{"w", "w"}})), HasSubstr("'w' occurs twice"));
  EXPECT_THAT(open_error(ct2_file({w}, {{"a", "w"}, {"a", "w"}})),
              HasSubstr("alias 'a' occurs twice"));
}

TEST(CTranslate2, MoreDimensionsThanSupportedAreListedAndRefused) {
  const std::string bytes = ct2_file({{"deep", kI8, {1, 1, 1, 1, 2}, "ab"}});
  const auto checkpoint = open_ct2_bytes(bytes);
  EXPECT_THAT(message_of(ErrorCode::kInvalidModel, [&] { checkpoint->read("deep"); }),
              HasSubstr("it has 5 dimensions"));
}

}  // namespace
}  // namespace steno::weights
