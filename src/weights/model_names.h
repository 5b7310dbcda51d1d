// The short names people use for Whisper models, and the hub repositories they mean.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace steno::weights {

struct ShortName {
  std::string_view name;        // "large-v3"
  std::string_view repository;  // "openai/whisper-large-v3"
};

// Smallest first; every repository once, under its plainest name.
std::span<const ShortName> short_names();

// "large-v3", "whisper-large-v3" and "turbo" become "openai/whisper-...", whatever else it is
// stays.
std::string repository_of(std::string_view name);

}  // namespace steno::weights
