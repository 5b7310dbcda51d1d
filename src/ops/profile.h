// A decorator that measures: wall time and calls by op, a check for non-finite results, and taps.
// Wrap the backend with it and pass it on; the models do not know.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "ops/ops.h"

namespace steno::ops {

struct OpTime {
  std::int64_t num_calls = 0;
  double seconds = 0;
};

struct ProfileOptions {
  // Throws Error(kInternal) that names the op whose result has NaN or infinity.
  bool check_finite = false;
  // Called with the op's name and its result, in order of execution: golden taps for tests.
  std::function<void(const std::string& op, const Tensor& result)> on_result;
};

// `times` may be null; else it must outlive the result, which adds to it.
std::unique_ptr<Ops> profile(std::unique_ptr<Ops> inner, ProfileOptions options,
                             std::map<std::string, OpTime>* times);

}  // namespace steno::ops
