// The shapes a transcript can be written in, and how people and files call them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace steno::output {

enum class Format { kTxt, kJson, kVerboseJson, kSrt, kVtt, kTsv };

inline constexpr std::array kAllFormats = {Format::kTxt, Format::kJson, Format::kVerboseJson,
                                           Format::kSrt, Format::kVtt,  Format::kTsv};

// "txt", "json", "verbose_json", "srt", "vtt", "tsv".
std::string_view name(Format format);

// By name; also "text", as the OpenAI API calls txt.
std::optional<Format> find_format(std::string_view name);

// What a file of this format is called after its stem, with the dot. All are different, so that
// every format of one transcript fits into one folder.
std::string_view extension(Format format);

}  // namespace steno::output
