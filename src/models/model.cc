#include "models/model.h"

#include "base/error.h"

namespace steno::models {

std::vector<Alignment> Model::align(ops::Ops&, std::span<const AlignRequest>) {
  throw Error(ErrorCode::kUnsupported, "{} cannot tell when each word was spoken", info().name);
}

}  // namespace steno::models
