#include "output/format.h"

#include <algorithm>

#include "base/check.h"

namespace steno::output {
namespace {

struct FormatNames {
  Format format;
  std::string_view name;
  std::string_view extension;
};

constexpr FormatNames kNames[] = {
    {Format::kTxt, "txt", ".txt"},
    {Format::kJson, "json", ".json"},
    {Format::kVerboseJson, "verbose_json", ".verbose.json"},
    {Format::kSrt, "srt", ".srt"},
    {Format::kVtt, "vtt", ".vtt"},
    {Format::kTsv, "tsv", ".tsv"},
};

const FormatNames& names_of(Format format) {
  const auto* found = std::ranges::find(kNames, format, &FormatNames::format);
  STENO_CHECK(found != std::end(kNames), "format {}", static_cast<int>(format));
  return *found;
}

}  // namespace

std::string_view name(Format format) {
  return names_of(format).name;
}

std::optional<Format> find_format(std::string_view name) {
  if (name == "text") return Format::kTxt;
  const auto* found = std::ranges::find(kNames, name, &FormatNames::name);
  if (found == std::end(kNames)) return std::nullopt;
  return found->format;
}

std::string_view extension(Format format) {
  return names_of(format).extension;
}

}  // namespace steno::output
