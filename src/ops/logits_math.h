// Row mathematics over a vocabulary, on the host, where the decoding rules live.
// They run on the widest instruction set of the CPU.
// Source: torch.log_softmax, torch.topk as openai-whisper's decoding uses them.
#pragma once

#include <span>
#include <vector>

namespace steno::ops {

// log(sum(exp(x))) of values that may be -inf; -inf when all are (or x is empty).
float log_sum_exp(std::span<const float> x);

// Index of the largest value, the first of equals; -1 when x is empty. NaN counts as -inf.
int argmax(std::span<const float> x);

struct Scored {
  int index = 0;
  float value = 0;
};

// The k largest, best first, the lower index first among equals. At most x.size() of them.
std::vector<Scored> top_k(std::span<const float> x, int k);

}  // namespace steno::ops
