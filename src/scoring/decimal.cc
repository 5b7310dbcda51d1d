#include "scoring/decimal.h"

#include <algorithm>
#include <cstddef>

namespace steno::scoring {

std::string without_leading_zeros(std::string_view digits) {
  const std::size_t first = digits.find_first_not_of('0');
  return first == digits.npos ? "0" : std::string(digits.substr(first));
}

std::string sum(std::string_view a, std::string_view b) {
  std::string result;
  int carry = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry > 0; ++i) {
    if (i < a.size()) carry += a[a.size() - 1 - i] - '0';
    if (i < b.size()) carry += b[b.size() - 1 - i] - '0';
    result += static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  std::ranges::reverse(result);
  return without_leading_zeros(result);
}

std::string scale_last_three(std::string_view n, int k) {
  const std::size_t num_high = n.size() > 3 ? n.size() - 3 : 0;
  const std::string high = std::string(n.substr(0, num_high)) + "000";
  return sum(num_high > 0 ? high : "0",
             std::string(n.substr(num_high)) + std::string(static_cast<std::size_t>(k), '0'));
}

std::optional<std::string> scale_exactly(std::string_view value, int k) {
  const std::size_t point = std::min(value.find('.'), value.size());
  const std::string_view whole = value.substr(0, point);
  std::string_view fraction = value.substr(std::min(point + 1, value.size()));
  const auto is_digits = [](std::string_view s) {
    return s.find_first_not_of("0123456789") == s.npos;
  };
  if (!is_digits(whole) || !is_digits(fraction) || whole.size() + fraction.size() == 0) {
    return std::nullopt;
  }
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  const auto num_places = static_cast<std::size_t>(k);
  if (fraction.size() > num_places) return std::nullopt;
  return without_leading_zeros(std::string(whole) + std::string(fraction) +
                               std::string(num_places - fraction.size(), '0'));
}

}  // namespace steno::scoring
