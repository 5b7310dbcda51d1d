#include "weights/model_cache.h"

#include <fmt/ranges.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "base/utf8.h"
#include "weights/quote.h"
#include "weights/safetensors.h"

namespace steno::weights {
namespace {

namespace fs = std::filesystem;

std::optional<fs::path> try_environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return fs::path(value);
}

// A service or a container may run without HOME: then what the system knows of its user.
fs::path home_folder() {
  if (const auto folder = try_environment("HOME")) return *folder;
  const passwd* user = ::getpwuid(::geteuid());
  if (user != nullptr && user->pw_dir != nullptr && *user->pw_dir == '/') return user->pw_dir;
  throw Error(
      ErrorCode::kInvalidValue,
      "weights: cannot tell where models are kept: none of STENO_MODELS, XDG_CACHE_HOME and "
      "HOME is set and user {} has no home folder; set STENO_MODELS",
      ::geteuid());
}

fs::path cache_home() {
  if (const auto folder = try_environment("XDG_CACHE_HOME")) return *folder;
  return home_folder() / ".cache";
}

fs::path hub_folder() {
  if (const auto folder = try_environment("HF_HUB_CACHE")) return *folder;
  if (const auto folder = try_environment("HF_HOME")) return *folder / "hub";
  return cache_home() / "huggingface" / "hub";
}

// Sub-folders, sorted; none when `folder` is not there. Hidden ones are downloads under way.
std::vector<fs::path> list_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    const bool is_hidden = it->path().filename().string().starts_with('.');
    if (!is_hidden && it->is_directory(ignored)) found.push_back(it->path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

bool has_file(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  return fs::is_regular_file(folder / name, ignored);
}

std::uint64_t total_bytes(const fs::path& folder) {
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;
    if (it->is_regular_file(ignored)) total += it->file_size(ignored);
  }
  return total;
}

std::vector<std::string> missing_shards(const fs::path& folder, const std::string& index) {
  try {
    std::vector<std::string> missing = shard_names(folder / index);
    std::erase_if(missing, [&](const std::string& shard) { return has_file(folder, shard); });
    return missing;
  } catch (const Error&) {
    return {index + " (malformed)"};  // a listing goes on; opening the model says what is wrong
  }
}

ModelEntry inspect(std::string name, const fs::path& folder) {
  constexpr const char* kIndex = "model.safetensors.index.json";
  ModelEntry entry{std::move(name), folder, "", total_bytes(folder), ""};
  std::vector<std::string> missing;
  if (has_file(folder, "model.bin")) {
    entry.layout = "ctranslate2";
  } else if (has_file(folder, "model.safetensors")) {
    entry.layout = "safetensors";
  } else if (has_file(folder, kIndex)) {
    entry.layout = "safetensors shards";
    missing = missing_shards(folder, kIndex);
  } else {
    missing.push_back("model.safetensors or model.bin");
  }
  if (!has_file(folder, "config.json")) missing.push_back("config.json");
  entry.missing = fmt::format("{}", fmt::join(missing, ", "));
  return entry;
}

// The revision that refs/main names, else the newest snapshot.
std::optional<fs::path> try_snapshot(const fs::path& model) {
  if (has_file(model / "refs", "main")) {
    const std::string revision = file::read(model / "refs" / "main", 4096);
    const fs::path snapshot = model / "snapshots" / utf8::strip(revision);
    std::error_code ignored;
    if (fs::is_directory(snapshot, ignored)) return snapshot;
  }
  const std::vector<fs::path> snapshots = list_folders(model / "snapshots");
  const auto age = [](const fs::path& path) {
    std::error_code ignored;
    return fs::last_write_time(path, ignored);
  };
  const auto newest =
      std::max_element(snapshots.begin(), snapshots.end(),
                       [&](const fs::path& a, const fs::path& b) { return age(a) < age(b); });
  if (newest == snapshots.end()) return std::nullopt;
  return *newest;
}

// "models--org--name" -> "org/name"; nothing for data sets and the rest.
std::optional<std::string> try_hub_name(std::string_view folder) {
  constexpr std::string_view kPrefix = "models--";
  if (!folder.starts_with(kPrefix)) return std::nullopt;
  std::string name(folder.substr(kPrefix.size()));
  const std::size_t separator = name.find("--");
  if (separator != std::string::npos) name.replace(separator, 2, "/");
  return name;
}

std::string_view last_part(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

std::string describe(const std::vector<ModelEntry>& models) {
  if (models.empty()) return "there is none yet";
  std::vector<std::string> names;
  for (const ModelEntry& model : models) {
    names.push_back(model.missing.empty()
                        ? quote(model.name)
                        : fmt::format("{} (incomplete: {})", quote(model.name), model.missing));
  }
  return fmt::format("there are {}", fmt::join(names, ", "));
}

}  // namespace

fs::path models_folder() {
  if (const auto folder = try_environment("STENO_MODELS")) return *folder;
  return cache_home() / "steno" / "models";
}

std::vector<ModelEntry> list_models() {
  std::vector<ModelEntry> models;
  for (const fs::path& folder : list_folders(models_folder())) {
    models.push_back(inspect(folder.filename().string(), folder));
  }
  for (const fs::path& folder : list_folders(hub_folder())) {
    const auto name = try_hub_name(folder.filename().string());
    const auto snapshot = name ? try_snapshot(folder) : std::nullopt;
    if (snapshot) models.push_back(inspect(*name, *snapshot));
  }
  return models;
}

fs::path find_model(std::string_view name_or_path) {
  std::error_code ignored;
  if (!name_or_path.empty() && fs::exists(fs::path(name_or_path), ignored)) {
    return fs::path(name_or_path);
  }
  const std::vector<ModelEntry> models = list_models();
  for (const ModelEntry& model : models) {
    if (model.name == name_or_path) return model.path;
  }
  const auto has_last_part = [&](const ModelEntry& model) {
    return last_part(model.name) == name_or_path;
  };
  if (std::count_if(models.begin(), models.end(), has_last_part) == 1) {
    return std::find_if(models.begin(), models.end(), has_last_part)->path;
  }
  throw Error(
      ErrorCode::kNotFound,
      "weights: there is no model {}: neither a path nor a model in {} or {}; {}. Fetch one with "
      "tools/fetch_model.py (--list shows which) or give a folder's path",
      quote(name_or_path), models_folder().string(), hub_folder().string(), describe(models));
}

}  // namespace steno::weights
