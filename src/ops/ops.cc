#include "ops/ops.h"

namespace steno::ops {

Tensor Ops::feed_forward(const Tensor& x, const FeedForward& w) {
  const Tensor hidden =
      linear(layer_norm(x, w.gamma, w.beta, w.eps), w.up, {.activation = w.activation});
  return linear(hidden, w.down, {.residual = &x});
}

}  // namespace steno::ops
