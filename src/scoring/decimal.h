// Whole numbers of any size as ASCII digits without leading zeros: people say "decillion", and
// Python has no largest integer.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace steno::scoring {

std::string without_leading_zeros(std::string_view digits);

std::string sum(std::string_view a, std::string_view b);

// n // 1000 * 1000 + n % 1000 * 10^k
std::string scale_last_three(std::string_view n, int k);

// value * 10^k of digits with at most one period; nothing when that is no whole number, or `value`
// no number.
std::optional<std::string> scale_exactly(std::string_view value, int k);

}  // namespace steno::scoring
