// A text that is likely to come: its tokens are put to the model several in a pass, and what it
// would have chosen anyway is kept. The text does not depend on the draft, only the number of
// passes does. Pure.
//
// Path: models/whisper/sequence -> here.
// Source: speculative decoding (Leviathan et al., 2023) for the arg max, with a text in place of a
// smaller model.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace steno::models::whisper {

class Draft {
 public:
  explicit Draft(std::vector<int> tokens) : tokens_(std::move(tokens)) {}

  // What may come next, at most `most` tokens.
  std::span<const int> next(std::size_t most) const {
    const std::span<const int> left = std::span(tokens_).subspan(at_);
    return left.first(std::min(most, left.size()));
  }

  // A token was chosen. If it is not the next one of the draft, it takes the place of that one, or
  // of all up to where it comes soon.
  void follow(int token) {
    const auto begin = tokens_.begin() + static_cast<std::ptrdiff_t>(at_);
    const auto end = begin + std::min<std::ptrdiff_t>(kReach, tokens_.end() - begin);
    const auto found = std::find(begin, end, token);
    if (found != end) {
      at_ = static_cast<std::size_t>(found - tokens_.begin()) + 1;
    } else {
      at_ = std::min(at_ + 1, tokens_.size());
    }
  }

 private:
  static constexpr std::ptrdiff_t kReach = 6;

  std::vector<int> tokens_;
  std::size_t at_ = 0;
};

}  // namespace steno::models::whisper
