// Text from the command line -> numbers. What a number may be is checked later
// (transcribe/options.h). Every refusal names the option and what was given: Error(kUsage).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steno::cli {

// What was given, fit for a message: in single quotes, one line, shortened when it is long.
std::string in_quotes(std::string_view text);

// One line of at most `max_bytes` of the text.
std::string shortened(std::string_view text, std::size_t max_bytes);

// Finite.
double parse_number(std::string_view option, std::string_view text);
std::int64_t parse_integer(std::string_view option, std::string_view text, std::int64_t min,
                           std::int64_t max);

// "1048576", "512MiB", "64GiB": at least one byte.
std::int64_t parse_bytes(std::string_view option, std::string_view text);

// "none" is nullopt.
std::optional<double> parse_number_or_none(std::string_view option, std::string_view text);

// "0,0.2,0.4"; at least one.
std::vector<double> parse_numbers(std::string_view option, std::string_view text);

// The parts between commas, without the space around them; "" has none.
std::vector<std::string_view> split_list(std::string_view text);

}  // namespace steno::cli
