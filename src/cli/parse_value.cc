#include "cli/parse_value.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/utf8.h"

namespace steno::cli {
namespace {

template <typename T>
std::optional<T> try_parse(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMaxShownBytes = 80;
  if (text.size() <= kMaxShownBytes) return "'" + utf8::printable(text) + "'";
  return fmt::format("'{}...' ({} bytes)", shortened(text, kMaxShownBytes), text.size());
}

std::string shortened(std::string_view text, std::size_t max_bytes) {
  const std::string_view first = text.substr(0, max_bytes);
  return utf8::printable(first.substr(0, utf8::complete_prefix_bytes(first)));
}

double parse_number(std::string_view option, std::string_view text) {
  const auto value = try_parse<double>(text);
  if (!value || !std::isfinite(*value)) {
    throw Error(ErrorCode::kUsage, "{}: {} is not a number", option, in_quotes(text));
  }
  return *value;
}

std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t min,
                           std::int64_t max) {
  const auto value = try_parse<std::int64_t>(text);
  if (!value || *value < min || *value > max) {
    throw Error(ErrorCode::kUsage, "{}: {} is not a whole number from {} to {}", option,
                in_quotes(text), min, max);
  }
  return *value;
}

std::int64_t parse_bytes(std::string_view option, std::string_view text) {
  constexpr std::pair<std::string_view, int> kUnits[] = {
      {"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}};
  std::string_view digits = text;
  int shift = 0;
  for (const auto& [unit, bits] : kUnits) {
    if (!text.ends_with(unit)) continue;
    digits.remove_suffix(unit.size());
    shift = bits;
  }
  const auto count = try_parse<std::int64_t>(utf8::strip(digits));
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() >> shift;
  if (!count || *count < 1 || *count > most) {
    throw Error(ErrorCode::kUsage, "{}: {} is not a size such as 1048576, 512MiB or 64GiB", option,
                in_quotes(text));
  }
  return *count << shift;
}

std::optional<double> parse_number_or_none(std::string_view option, std::string_view text) {
  if (text == "none") return std::nullopt;
  const auto value = try_parse<double>(text);
  if (!value || !std::isfinite(*value)) {
    throw Error(ErrorCode::kUsage, "{}: {} is neither a number nor 'none'", option,
                in_quotes(text));
  }
  return value;
}

std::vector<double> parse_numbers(std::string_view option, std::string_view text) {
  std::vector<double> values;
  for (const std::string_view part : split_list(text)) {
    values.push_back(parse_number(option, part));
  }
  if (values.empty()) throw Error(ErrorCode::kUsage, "{}: give at least one number", option);
  return values;
}

std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  if (utf8::strip(text).empty()) return parts;
  std::size_t begin = 0;
  while (true) {
    const std::size_t comma = text.find(',', begin);
    parts.push_back(utf8::strip(text.substr(begin, comma - begin)));
    if (comma == std::string_view::npos) return parts;
    begin = comma + 1;
  }
}

}  // namespace steno::cli
