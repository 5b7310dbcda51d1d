#include "cli/bench_manifest.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/parse_value.h"
#include "text/languages.h"

namespace steno::cli {
namespace {

using Json = nlohmann::json;

// A line of the manifest under one of its names, and where it stands, for messages.
struct Line {
  Json object;
  std::string where;
};

std::optional<std::string> find_text(const Line& line, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const auto found = line.object.find(name);
    if (found == line.object.end()) continue;
    if (!found->is_string()) {
      throw Error(ErrorCode::kInvalidValue, "{}: '{}' is {}, expected a string", line.where, name,
                  found->type_name());
    }
    return found->get<std::string>();
  }
  return std::nullopt;
}

std::string language_of(const Line& line, const std::string& default_language) {
  const auto language = find_text(line, {"language", "lang"});
  if (!language && default_language.empty()) {
    throw Error(ErrorCode::kInvalidValue, "{}: no 'language'; add it, or give -l LANG for all",
                line.where);
  }
  if (!language) return default_language;
  const auto code = text::find_language_code(*language);
  if (!code) {
    throw Error(ErrorCode::kInvalidValue, "{}: language {} is not known; give a code such as en",
                line.where, in_quotes(*language));
  }
  return std::string(*code);
}

BenchItem item_of(const Line& line, const std::filesystem::path& folder,
                  const std::string& default_language) {
  if (!line.object.is_object()) {
    throw Error(ErrorCode::kInvalidValue, "{}: {}, expected an object {{\"path\", \"text\", ...}}",
                line.where, line.object.type_name());
  }
  const auto path = find_text(line, {"path", "audio", "audio_filepath"});
  if (!path || path->empty()) {
    throw Error(ErrorCode::kInvalidValue, "{}: no 'path' of a recording", line.where);
  }
  if (*path == "-" || path->find('\0') != path->npos) {
    throw Error(ErrorCode::kInvalidValue, "{}: 'path' {} is no file", line.where, in_quotes(*path));
  }
  const auto reference = find_text(line, {"text", "reference"});
  if (!reference) {
    throw Error(ErrorCode::kInvalidValue, "{}: no 'text' that is said in the recording",
                line.where);
  }
  return {find_text(line, {"id"}).value_or(*path), (folder / *path).string(),
          language_of(line, default_language), find_text(line, {"set"}).value_or(""), *reference};
}

Json parse_line(std::string_view text, const std::string& where) {
  try {
    return json::parse(text, where);
  } catch (const Error& error) {
    throw Error(ErrorCode::kInvalidValue, "{} (a manifest has a JSON object a line)", error.what());
  }
}

}  // namespace

std::vector<BenchItem> parse_manifest(std::string_view text, const std::filesystem::path& path,
                                      const std::string& default_language) {
  const std::string name = utf8::printable(path.string());
  std::vector<BenchItem> items;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view content = utf8::strip(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.empty()) continue;
    const std::string where = fmt::format("{}: line {}", name, number);
    items.push_back(
        item_of({parse_line(content, where), where}, path.parent_path(), default_language));
  }
  if (items.empty()) {
    throw Error(ErrorCode::kInvalidValue, "{}: no recordings in it; expected a JSON object a line",
                name);
  }
  return items;
}

}  // namespace steno::cli
