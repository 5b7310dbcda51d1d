#include "weights/torch_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "unit/weights/model_files.h"

namespace steno::weights {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string eight_floats() {
  return bytes_of<float>({0, 1, 2, 3, 4, 5, 6, 7});
}

std::string failure(const std::string& bytes) {
  return message_of(ErrorCode::kInvalidModel, [&] { open_torch_bytes(bytes); });
}
// Of a file with one tensor over eight floats.
std::string tensor_failure(const std::string& tensor) {
  return failure(torch_file(pickled({{"x", tensor}}), {{"0", eight_floats()}}));
}
std::string pickle_failure(const std::string& pickle) {
  return failure(torch_file(pickle, {{"0", eight_floats()}}));
}

TEST(TorchArchive, ReadsTensorsAndNumbersOfNestedDictionaries) {
  const std::string state = pickled_dict({{"a", pickled_tensor("Float", "0", 8, 2, {2, 3}, {3, 1})},
                                          {"b", pickled_tensor("Half", "1", 2, 0, {2}, {1})}});
  const std::string file = torch_file(
      pickled({{"dims", pickled_dict({{"n_mels", pickled_number(80)}})}, {"state", state}}),
      {{"0", eight_floats()}, {"1", bytes_of<std::uint16_t>({0x3c00, 0xc000})}});
  const auto checkpoint = open_torch_bytes(file);
  EXPECT_EQ(checkpoint->find_number("dims.n_mels"), 80);
  EXPECT_EQ(checkpoint->find_number("dims.n"), std::nullopt);
  EXPECT_EQ(checkpoint->find("state.a")->shape, (Shape{2, 3}));
  EXPECT_EQ(floats_of(checkpoint->read_f32("state.a")), (std::vector<float>{2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(floats_of(checkpoint->read_f32("state.b")), (std::vector<float>{1, -2}));
}

// {"x": tensor} where both keys and values come from the memo, as torch writes repeated things.
TEST(TorchArchive, FollowsTheMemo) {
  const std::string tensor = pickled_tensor("Float", "0", 8, 0, {8}, {1});
  const std::string pickle = std::string("\x80\x02") + "}(" + pickled_text("x") + tensor + "q\x05" +
                             pickled_text("y") + "h\x05" + "u.";
  const std::string file = torch_file(pickle, {{"0", eight_floats()}});  // is read in place
  const auto checkpoint = open_torch_bytes(file);
  EXPECT_EQ(floats_of(checkpoint->read_f32("y")), floats_of(checkpoint->read_f32("x")));
}

TEST(TorchArchive, RefusesEveryOtherGlobal) {
  for (const auto& [module, name] :
       {std::pair("os", "system"), std::pair("builtins", "eval"), std::pair("torch", "load"),
        std::pair("posix", "system"), std::pair("collections", "OrderedDict.x")}) {
    const std::string call =
        pickled_global(module, name) + "(" + pickled_text("touch /tmp/x") + "tR";
    EXPECT_THAT(pickle_failure(pickled({{"x", call}})),
                AllOf(HasSubstr("at byte "), HasSubstr(std::string("'") + name + "'"),
                      HasSubstr(std::string("module '") + module + "'")));
  }
  // By STACK_GLOBAL, of protocol 4.
  EXPECT_THAT(pickle_failure("\x80\x04" + pickled_text("os") + pickled_text("system") + "\x93)R."),
              HasSubstr("'system' of the Python module 'os'"));
  // NEWOBJ, INST, OBJ and EXT1 make objects too.
  for (const char opcode : {'\x81', 'i', 'o', '\x82'}) {
    EXPECT_THAT(pickle_failure(std::string("\x80\x02}(") + opcode), HasSubstr("opcode"));
  }
}

TEST(TorchArchive, RefusesTensorsBeyondTheirStorage) {
  const auto tensor = [](int offset, std::vector<int> shape, std::vector<int> strides) {
    return tensor_failure(pickled_tensor("Float", "0", 8, offset, shape, strides));
  };
  EXPECT_THAT(tensor(0, {9}, {1}), HasSubstr("leaves its storage of 8 elements"));
  EXPECT_THAT(tensor(3, {2, 3}, {3, 1}), HasSubstr("leaves its storage"));
  EXPECT_THAT(tensor(9, {0}, {1}), HasSubstr("leaves its storage"));
  EXPECT_THAT(tensor(-1, {1}, {1}), HasSubstr("offset is -1"));
  EXPECT_THAT(tensor(0, {-1}, {1}), HasSubstr("shape is -1"));
  EXPECT_THAT(tensor(0, {1}, {-1}), HasSubstr("strides is -1"));
  EXPECT_THAT(tensor(0, {2, 2}, {1}), HasSubstr("2 dimensions with 1 strides"));
  const int huge = 2147483647;
  EXPECT_THAT(tensor(0, {huge, huge, huge}, {1, 1, 1}), HasSubstr("leaves its storage"));
  EXPECT_THAT(tensor(0, {huge, huge, 0}, {0, 0, 1}), HasSubstr("leaves its storage"));
  EXPECT_THAT(tensor_failure(pickled_tensor("Float", "0", 9, 0, {1}, {1})),
              HasSubstr("has 32 bytes, not the 9 elements"));
  EXPECT_THAT(tensor_failure(pickled_tensor("Float", "../0", 8, 0, {1}, {1})),
              HasSubstr("'data/../0' is not in the archive"));
}

TEST(TorchArchive, TensorsThatCannotBeReadInPlaceSayWhy) {
  const auto checkpoint_of = [](const std::string& tensor) {
    return torch_file(pickled({{"x", tensor}}), {{"0", eight_floats()}});
  };
  const std::string transposed = checkpoint_of(pickled_tensor("Float", "0", 8, 0, {2, 3}, {1, 2}));
  EXPECT_THAT(open_torch_bytes(transposed)->find("x")->unreadable, HasSubstr("strides [1, 2]"));
  // One element in a dimension: its stride means nothing.
  const std::string row = checkpoint_of(pickled_tensor("Float", "0", 8, 0, {1, 3}, {77, 1}));
  EXPECT_EQ(open_torch_bytes(row)->find("x")->unreadable, "");
  const std::string doubles = checkpoint_of(pickled_tensor("Double", "0", 4, 0, {4}, {1}));
  EXPECT_THAT(open_torch_bytes(doubles)->find("x")->unreadable, HasSubstr("DoubleStorage"));
}

TEST(TorchArchive, RefusesDamage) {
  std::string file = torch_file(pickled({{"x", pickled_tensor("Float", "0", 8, 0, {8}, {1})}}),
                                {{"0", eight_floats()}});
  file[file.find("cpu")] = 'C';  // in the pickle; its length is the same
  EXPECT_THAT(failure(file), HasSubstr("CRC-32"));
  EXPECT_THAT(failure(zip_file({{.name = "archive/other", .bytes = "x"}})),
              HasSubstr("without data.pkl"));
  EXPECT_THAT(failure(torch_file("\x80\x02).", {})), HasSubstr("no dictionary"));
  EXPECT_THAT(failure(torch_file(pickled({}), {})), HasSubstr("holds no tensors"));
  EXPECT_THAT(failure(zip_file({{.name = "a/data.pkl", .bytes = pickled({})},
                                {.name = "a/byteorder", .bytes = "big"}})),
              HasSubstr("byte order"));
}

TEST(TorchArchive, RefusesMalformedPickles) {
  for (const std::string& pickle :
       {std::string(), std::string("\x80\x02"), std::string("."), std::string("}}."),
        std::string("\x80\x09}."), std::string("t."), std::string("}(u"), std::string("}N"),
        std::string("h\x01."), std::string("}(Nu."), std::string("NNs."), std::string("Na."),
        std::string("X\xff\xff\xff\xff."), std::string("\x8a\x09 and so on"), std::string("cos"),
        std::string("NQ."), std::string("N)R."), std::string("Nb."), std::string("(0.")}) {
    const std::string message = pickle_failure(pickle);
    EXPECT_THAT(message, HasSubstr("weights: test: ")) << pickle;
  }
}

// Small files that stand for much: none may take long or need memory out of proportion.
TEST(TorchArchive, BombsAreDefused) {
  const auto begin = std::chrono::steady_clock::now();
  // A dictionary that holds itself, a thousand times.
  std::string cycle = "\x80\x02}q";
  cycle += '\0';
  cycle += "(";
  for (int i = 0; i < 1000; ++i) cycle += pickled_text("k" + std::to_string(i)) + "h" + '\0';
  EXPECT_THAT(pickle_failure(cycle + "u."), HasSubstr("more than 500000 values"));
  // Lists of lists of lists: each level is there twice.
  std::string laughs = "\x80\x02}X";
  laughs += std::string("\x01\0\0\0", 4) + "x]q\x01" + "0";
  for (int i = 0; i < 100'000; ++i) {
    laughs += "](h\x01h\x01";
    laughs +=
        "eq\x01"
        "0";
  }
  EXPECT_THAT(pickle_failure(laughs + "h\x01s."), HasSubstr("holds no tensors"));
  // Deep nesting that a recursive reader would follow.
  EXPECT_THAT(pickle_failure("\x80\x02" + std::string(400'000, '(')),
              HasSubstr("ends in the middle"));
  EXPECT_THAT(pickle_failure("\x80\x02" + std::string(600'000, '(')), HasSubstr("too many marks"));
  EXPECT_THAT(pickle_failure("\x80\x02" + std::string(600'000, 'N')), HasSubstr("500000 values"));
  // A long shape, used again and again.
  std::string shape = "\x80\x02(" + std::string(400'000, 'N') + "tq\x01";
  for (int i = 0; i < 100'000; ++i) {
    shape += pickled_global("collections", "OrderedDict") + "h\x01R0";
  }
  EXPECT_THAT(pickle_failure(shape), HasSubstr("arguments of 400000 parts"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

}  // namespace
}  // namespace steno::weights
