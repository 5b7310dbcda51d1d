#include "weights/declared.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/weights/model_files.h"

namespace steno::weights {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

const auto kIgnoreNothing = [](std::string_view) { return false; };

RawTensor bytes_tensor(const std::string& name, std::uint64_t rows, std::uint64_t columns) {
  return {name, "U8", {rows, columns}, std::string(rows * columns, 'x')};
}

std::string verify_error(const Checkpoint& checkpoint, const std::vector<Declared>& declared) {
  return message_of(ErrorCode::kInvalidModel,
                    [&] { verify(checkpoint, declared, kIgnoreNothing); });
}

TEST(Verify, SilentWhenAllFits) {
  const std::string bytes =
      safetensors_file({bytes_tensor("a", 2, 3), bytes_tensor("extra", 1, 1)});
  const auto checkpoint = open_safetensors_bytes(bytes);
  const std::vector<Declared> declared = {{"a", {2, 3}}, {"maybe", {7}, true}};
  EXPECT_NO_THROW(
      verify(*checkpoint, declared, [](std::string_view name) { return name == "extra"; }));
}

TEST(Verify, NamesEverythingInOneMessage) {
  const std::string bytes = safetensors_file(
      {bytes_tensor("a", 2, 3), bytes_tensor("b", 2, 3), {"c", "F64", {1}, std::string(8, 'x')}});
  const auto checkpoint = open_safetensors_bytes(bytes);
  EXPECT_THAT(
      verify_error(*checkpoint, {{"a", {3, 2}}, {"c", {1}}, {"d", {1}}, {"e", {1}}}),
      AllOf(HasSubstr("model.safetensors: does not fit the model"),
            HasSubstr("2 missing: 'd', 'e'"), HasSubstr("1 unknown: 'b'"),
            HasSubstr("2 misshaped: 'a' is [2, 3], not [3, 2], 'c' (its element type is 'F64'")));
}

TEST(Verify, CutsLongLists) {
  const std::string bytes = safetensors_file(std::vector<RawTensor>{});
  std::vector<Declared> declared;
  for (int i = 0; i < 300; ++i) declared.push_back({"layer." + std::to_string(i), {1}});
  EXPECT_THAT(verify_error(*open_safetensors_bytes(bytes), declared),
              AllOf(HasSubstr("300 missing: 'layer.0', "), HasSubstr("'layer.19' and 280 more"),
                    Not(HasSubstr("layer.20'"))));
}

TEST(Verify, KnowsAliasesAndScales) {
  const std::string bytes = ct2_file({{"l/weight", "1", {2, 6}, std::string(12, '\1')},
                                      {"l/weight_scale", "0", {2}, std::string(8, '\1')},
                                      {"embeddings", "0", {1}, std::string(4, '\1')}},
                                     {{"projection", "embeddings"}});
  const std::vector<Declared> declared = {{"l/weight", {2, 6}}, {"projection", {1}}};
  EXPECT_NO_THROW(verify(*open_ct2_bytes(bytes), declared, kIgnoreNothing));
}

}  // namespace
}  // namespace steno::weights
