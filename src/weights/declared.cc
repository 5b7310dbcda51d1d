#include "weights/declared.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/error.h"
#include "weights/quote.h"

namespace steno::weights {
namespace {

// "; 3 missing: 'a', 'b', 'c'", or nothing.
std::string part(std::string_view what, const std::vector<std::string>& items) {
  constexpr std::size_t kMaxListed = 20;  // a wrong prefix makes hundreds, all alike
  if (items.empty()) return "";
  const std::size_t num_listed = std::min(items.size(), kMaxListed);
  std::string text = fmt::format("; {} {}: {}", items.size(), what,
                                 fmt::join(items.begin(), items.begin() + num_listed, ", "));
  if (num_listed < items.size()) text += fmt::format(" and {} more", items.size() - num_listed);
  return text;
}

}  // namespace

void verify(const Checkpoint& checkpoint, std::span<const Declared> declared,
            const std::function<bool(std::string_view name)>& may_ignore) {
  std::vector<std::string> missing;
  std::vector<std::string> misshaped;
  std::set<std::string_view> known;
  for (const Declared& wanted : declared) {
    const TensorInfo* tensor = checkpoint.find(wanted.name);
    if (tensor == nullptr) {
      if (!wanted.optional) missing.push_back(quote(wanted.name));
      continue;
    }
    known.insert(tensor->name);
    if (!tensor->unreadable.empty()) {
      misshaped.push_back(fmt::format("{} ({})", quote(wanted.name), tensor->unreadable));
    } else if (tensor->shape != wanted.shape) {
      misshaped.push_back(fmt::format("{} is {}, not {}", quote(wanted.name),
                                      tensor->shape.to_string(), wanted.shape.to_string()));
    }
  }
  std::vector<std::string> unknown;
  for (const TensorInfo& tensor : checkpoint.tensors()) {
    if (tensor.is_scale || known.contains(tensor.name) || may_ignore(tensor.name)) continue;
    unknown.push_back(quote(tensor.name));
  }
  if (missing.empty() && unknown.empty() && misshaped.empty()) return;
  throw Error(ErrorCode::kInvalidModel, "weights: {}: does not fit the model{}{}{}",
              checkpoint.description(), part("missing", missing), part("unknown", unknown),
              part("misshaped", misshaped));
}

}  // namespace steno::weights
