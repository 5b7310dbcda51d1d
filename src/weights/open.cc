// Finds out which format a folder or file is in: weights::open of weights/checkpoint.h.
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "weights/checkpoint.h"
#include "weights/ctranslate2.h"
#include "weights/quote.h"
#include "weights/safetensors.h"
#include "weights/torch_archive.h"

namespace steno::weights {
namespace {

namespace fs = std::filesystem;

// Formats people will try, by their first bytes, and what to tell them.
struct ForeignFormat {
  std::string_view magic;
  std::string_view what;
};
constexpr ForeignFormat kForeignFormats[] = {
    {"\x80\x02",
     "a Python pickle of before torch 1.6 (load it with torch and save it again to get an "
     "archive)"},
    {"GGUF", "a GGUF file (not supported)"},
    {"lmgg", "a whisper.cpp ggml file (not supported)"},
    {"version https://git-lfs",
     "a Git LFS pointer, not the data it stands for (run: git lfs pull)"},
};
constexpr std::string_view kExpected =
    "expected a Hugging Face safetensors model, a CTranslate2 model.bin or an OpenAI .pt file";

std::string first_bytes(const ByteSource& file) {
  std::string bytes(std::min<std::uint64_t>(file.size_bytes(), 32), '\0');
  file.read_at(0, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

std::unique_ptr<Checkpoint> open_one_file(const fs::path& path) {
  if (path.string().ends_with(".index.json")) return open_safetensors_shards(path);
  std::unique_ptr<ByteSource> file = open_file(path);
  const std::string start = first_bytes(*file);
  for (const ForeignFormat& format : kForeignFormats) {
    if (start.starts_with(format.magic)) {
      throw Error(ErrorCode::kInvalidModel, "weights: {}: is {}; {}", file->name(), format.what,
                  kExpected);
    }
  }
  if (start.starts_with("PK\x03\x04")) return open_torch(std::move(file));
  const bool has_json_header = start.size() > 8 && start[8] == '{';
  if (path.extension() == ".safetensors" || has_json_header)
    return open_safetensors(std::move(file));
  return open_ctranslate2(std::move(file));
}

std::string list_files(const fs::path& folder) {
  constexpr std::size_t kMaxListed = 12;
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    names.push_back(quote(entry.path().filename().string()));
  }
  if (names.empty()) return "is empty";
  std::sort(names.begin(), names.end());
  const std::size_t num_listed = std::min(names.size(), kMaxListed);
  const std::string listed =
      fmt::format("has {}", fmt::join(names.begin(), names.begin() + num_listed, ", "));
  return names.size() == num_listed
             ? listed
             : fmt::format("{} and {} more", listed, names.size() - num_listed);
}

std::string hint_for(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename() == "pytorch_model.bin") {
      return " (pytorch_model.bin is a pickle: get the model's safetensors instead)";
    }
    if (entry.path().extension() == ".nemo") return " (a .nemo archive is not supported yet)";
  }
  return "";
}

std::unique_ptr<Checkpoint> open_folder(const fs::path& folder) {
  for (const char* name : {"model.bin", "model.safetensors", "model.safetensors.index.json"}) {
    if (fs::is_regular_file(folder / name)) return open_one_file(folder / name);
  }
  const std::vector<fs::path> archives = torch_files(folder);
  if (archives.size() == 1) return open_one_file(archives.front());
  if (archives.size() > 1) {
    throw Error(ErrorCode::kNotFound,
                "weights: {}: has {} .pt files, {} and {} among them: name the one to use",
                folder.string(), archives.size(), quote(archives[0].filename().string()),
                quote(archives[1].filename().string()));
  }
  throw Error(
      ErrorCode::kNotFound,
      "weights: {}: has no model.safetensors, model.safetensors.index.json, model.bin or .pt file; "
      "the folder {}{}",
      folder.string(), list_files(folder), hint_for(folder));
}

}  // namespace

std::unique_ptr<Checkpoint> open(const fs::path& folder_or_file) {
  std::error_code ignored;
  if (fs::is_directory(folder_or_file, ignored)) return open_folder(folder_or_file);
  if (!fs::exists(folder_or_file, ignored)) {
    throw Error(ErrorCode::kNotFound, "weights: {}: there is no such file or folder; {}",
                folder_or_file.string(), kExpected);
  }
  return open_one_file(folder_or_file);
}

}  // namespace steno::weights
