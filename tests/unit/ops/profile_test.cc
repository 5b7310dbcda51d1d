#include "ops/profile.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "ops/make_ops.h"
#include "unit/ops/oracle.h"

namespace steno::ops {
namespace {

TEST(ProfileTest, CountsTimesAndPassesResultsOn) {
  std::map<std::string, OpTime> times;
  std::vector<std::string> seen;
  const std::unique_ptr<Ops> ops = profile(
      make_cpu_ops(1),
      {.check_finite = false,
       .on_result = [&](const std::string& op,
                        const Tensor& t) { seen.push_back(op + " " + t.shape().to_string()); }},
      &times);
  const Tensor x = oracle::random({2, 8}, 1);
  const Weight w = ops->pack(oracle::random({3, 8}, 2), {}, ComputeType::kF32);
  ops->gelu(ops->linear(x, w));
  ops->linear(x, w);
  EXPECT_EQ(times["linear"].num_calls, 2);
  EXPECT_EQ(times["gelu"].num_calls, 1);
  EXPECT_EQ(times["pack"].num_calls, 1);
  EXPECT_GT(times["linear"].seconds, 0);
  EXPECT_EQ(seen, (std::vector<std::string>{"linear [2, 3]", "gelu [2, 3]", "linear [2, 3]"}));
}

TEST(ProfileTest, NamesTheOpWhoseResultIsNotFinite) {
  const std::unique_ptr<Ops> ops =
      profile(make_cpu_ops(1), {.check_finite = true, .on_result = {}}, nullptr);
  Tensor x = Tensor::zeros({1, 4});
  EXPECT_NO_THROW(ops->gelu(x));
  x.data<float>()[2] = std::nanf("");
  try {
    ops->add(x, x);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInternal);
    EXPECT_EQ(std::string(error.what()).rfind("add: value 2 of [1, 4] is", 0), 0U) << error.what();
  }
}

}  // namespace
}  // namespace steno::ops
