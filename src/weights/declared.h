// What a model wants from its files against what they have: every difference in one message.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "weights/checkpoint.h"

namespace steno::weights {

struct Declared {
  std::string name;
  Shape shape;
  bool optional = false;
};

// Throws one Error(kInvalidModel) that names all missing, all unknown and all misshaped tensors (20
// of each, then a count), or does nothing. Unknown is what is neither declared, nor the target of a
// declared alias, nor the scale of another tensor, nor something that `may_ignore` takes.
void verify(const Checkpoint& checkpoint, std::span<const Declared> declared,
            const std::function<bool(std::string_view name)>& may_ignore);

}  // namespace steno::weights
