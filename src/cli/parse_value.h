// Text from the command line -> numbers. What a number may be is checked later
// (transcribe/options.h). Every refusal names the option and what was given: Error(kUsage).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace steno::cli {

// Finite.
double parse_number(std::string_view option, std::string_view text);
std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t min,
                           std::int64_t max);

// "none" is nullopt.
std::optional<double> parse_number_or_none(std::string_view option, std::string_view text);

// "0,0.2,0.4"; at least one.
std::vector<double> parse_numbers(std::string_view option, std::string_view text);

// The parts between commas, without the space around them; "" has none.
std::vector<std::string_view> split_list(std::string_view text);

}  // namespace steno::cli
