#include "hub/listing.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "hub/model_id.h"

namespace steno::hub {
namespace {

using nlohmann::json;

constexpr const char* kSmallFiles[] = {
    "config.json",     "generation_config.json", "preprocessor_config.json",
    "tokenizer.json",  "tokenizer_config.json",  "vocab.json",
    "merges.txt",      "added_tokens.json",      "special_tokens_map.json",
    "normalizer.json", "vocabulary.json",        "vocabulary.txt",
};
constexpr std::uint64_t kMaxSmallBytes = 64 << 20;  // what our readers take
constexpr const char* kWeights[] = {"model.safetensors", "model.safetensors.index.json",
                                    "model.bin"};

template <typename... Args>
Error malformed(std::string_view where, fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kUnavailable, "{}: the hub's answer makes no sense: {}", where,
          fmt::format(format, std::forward<Args>(args)...)};
}

// A relative path that stays below the folder it is in.
bool is_safe_path(std::string_view path) {
  if (path.empty() || path.size() > 1024 || !utf8::is_valid(path)) return false;
  if (utf8::printable(path) != path || path.find('\\') != std::string_view::npos) return false;
  while (true) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part.empty() || part == "." || part == "..") return false;
    if (part.size() == path.size()) return true;
    path.remove_prefix(part.size() + 1);
  }
}

// The member of an object, or null.
const json& member(const json& value, const char* key) {
  static const json kNull;
  const auto found = value.find(key);
  return found == value.end() ? kNull : *found;
}

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : "";
}

RemoteFile parse_file(const json& value, std::string_view where) {
  RemoteFile file{.name = text_of(member(value, "rfilename")), .size_bytes = 0, .hash = ""};
  if (!is_safe_path(file.name)) {
    throw malformed(where, "it names a file \"{}\", which is refused", utf8::printable(file.name));
  }
  const json& lfs = member(value, "lfs");
  file.hash = lfs.is_object() ? text_of(member(lfs, "sha256")) : text_of(member(value, "blobId"));
  const json& size = lfs.is_object() ? member(lfs, "size") : member(value, "size");
  if (size.is_number_unsigned()) file.size_bytes = size.get<std::uint64_t>();
  const bool has_hash = is_git_hash(file.hash) && (file.hash.size() == 64) == lfs.is_object();
  if (!has_hash || !size.is_number_unsigned()) file.hash.clear();
  return file;
}

const RemoteFile* find(const Listing& listing, std::string_view name) {
  const auto found = std::ranges::find(listing.files, name, &RemoteFile::name);
  return found == listing.files.end() ? nullptr : &*found;
}

// Of a file that is to be fetched. A file that is not may lack what it likes.
const RemoteFile& checked(const RemoteFile& file, std::string_view where) {
  if (file.hash.empty()) {
    throw malformed(where, "{} comes without its size or hash (is the mirror too old?)", file.name);
  }
  return file;
}

std::string describe(const Listing& listing) {
  constexpr std::size_t kMaxListed = 12;
  std::vector<std::string> names;
  for (const RemoteFile& file : listing.files) names.push_back(file.name);
  if (names.size() > kMaxListed) {
    names.resize(kMaxListed);
    names.emplace_back("...");
  }
  return names.empty() ? "is empty" : fmt::format("has {}", fmt::join(names, ", "));
}

}  // namespace

Listing parse_listing(std::string_view answer, std::string_view where) {
  json root;
  try {
    root = steno::json::parse(answer, where);
  } catch (const Error& error) {
    throw malformed(where, "{}", error.what());
  }
  Listing listing;
  listing.commit = text_of(member(root, "sha"));
  if (!is_git_hash(listing.commit)) throw malformed(where, "it names no commit");
  const json& files = member(root, "siblings");
  if (!files.is_array()) throw malformed(where, "it lists no files");
  for (const json& file : files) listing.files.push_back(parse_file(file, where));
  return listing;
}

std::vector<RemoteFile> choose_files(const Listing& listing, std::string_view where) {
  std::vector<RemoteFile> chosen;
  for (const char* name : kSmallFiles) {
    const RemoteFile* file = find(listing, name);
    if (file == nullptr) continue;
    if (file->size_bytes > kMaxSmallBytes) {
      throw Error(ErrorCode::kInvalidModel, "{}: {} has {} MiB, expected at most {}", where, name,
                  file->size_bytes >> 20, kMaxSmallBytes >> 20);
    }
    chosen.push_back(checked(*file, where));
  }
  for (const char* name : kWeights) {
    const RemoteFile* file = find(listing, name);
    if (file == nullptr) continue;
    chosen.push_back(checked(*file, where));
    return chosen;
  }
  throw Error(ErrorCode::kInvalidModel,
              "{}: has no weights that steno reads ({}); the repository {}. Other formats are not "
              "fetched, pickles least of all",
              where, fmt::join(kWeights, ", "), describe(listing));
}

std::vector<RemoteFile> shards_of(const Listing& listing, const std::vector<std::string>& names,
                                  std::string_view where) {
  std::vector<RemoteFile> shards;
  for (const std::string& name : names) {
    const RemoteFile* file = find(listing, name);
    if (file == nullptr) {
      throw Error(ErrorCode::kInvalidModel,
                  "{}: its index names the shard {}, which it does not have", where,
                  utf8::printable(name));
    }
    shards.push_back(checked(*file, where));
  }
  return shards;
}

}  // namespace steno::hub
