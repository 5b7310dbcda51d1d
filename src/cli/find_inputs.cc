#include "cli/find_inputs.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "cli/media_names.h"

namespace steno::cli {
namespace {

namespace fs = std::filesystem;

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

fs::path canonical(const fs::path& path) {
  std::error_code error;
  fs::path real = fs::canonical(path, error);
  return error ? fs::absolute(path, error).lexically_normal() : real;
}

FailedInput failed(const std::string& input, ErrorCode code, const std::string& message) {
  return {input, {info(code).exit_code, message}};
}

// All recordings below one folder.
class Search {
 public:
  Search(const fs::path& root, const fs::path& subfolder) {
    visit(root, subfolder);
    if (!found_.inputs.empty() || !found_.failed.empty()) return;
    found_.failed.push_back(
        failed(root.string(), ErrorCode::kNotFound,
               "there is no audio or video file in this folder, going by the endings of names; a "
               "file of another name is taken when it is named itself"));
  }

  FoundInputs& found() { return found_; }

 private:
  void visit(const fs::path& folder, const fs::path& subfolder) {
    for (const fs::directory_entry& entry : sorted_entries(folder)) {
      const fs::path& path = entry.path();
      std::error_code ignored;
      if (!entry.is_symlink(ignored) && entry.is_directory(ignored)) {
        visit(path, subfolder / path.filename());
      } else if (entry.is_directory(ignored)) {
        log::warning("{}: a link to a folder, which is not followed; name it to have it searched",
                     utf8::printable(path.string()));
      } else if (is_recording(entry)) {
        found_.inputs.push_back({path.string(), subfolder});
      }
    }
  }

  // What cannot be looked at counts, as a link that leads nowhere: it is not to be hidden that it
  // cannot be read.
  static bool is_recording(const fs::directory_entry& entry) {
    if (!is_media_name(entry.path().filename().string())) return false;
    std::error_code error;
    const fs::file_status status = entry.status(error);
    return fs::is_regular_file(status) || !fs::status_known(status) || !fs::exists(status);
  }

  std::vector<fs::directory_entry> sorted_entries(const fs::path& folder) {
    std::vector<fs::directory_entry> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
      if (!it->path().filename().string().starts_with('.')) entries.push_back(*it);
    }
    if (error) {
      found_.failed.push_back(failed(folder.string(), ErrorCode::kInvalidAudio,
                                     "the folder cannot be read: " + error.message()));
    }
    std::ranges::sort(entries);
    return entries;
  }

  FoundInputs found_;
};

bool is_inside(const fs::path& path, const fs::path& folder) {
  return std::ranges::mismatch(folder, path).in1 == folder.end();
}

// The folders among the arguments by their real paths, without those inside of another one.
std::map<fs::path, std::string> outermost_folders(const std::vector<std::string>& arguments) {
  std::map<fs::path, std::string> folders;
  for (const std::string& argument : arguments) {
    if (argument != kStdin && is_folder(argument)) folders.emplace(canonical(argument), argument);
  }
  // What is inside a folder comes right behind it in this order.
  for (auto outer = folders.begin(); outer != folders.end(); ++outer) {
    auto next = std::next(outer);
    while (next != folders.end() && is_inside(next->first, outer->first))
      next = folders.erase(next);
  }
  return folders;
}

}  // namespace

FoundInputs find_inputs(const std::vector<std::string>& arguments) {
  const std::map<fs::path, std::string> folders = outermost_folders(arguments);
  std::map<std::string, FoundInputs> found_in;  // by argument
  std::set<fs::path> in_folders;
  for (const auto& [real_path, argument] : folders) {
    const fs::path subfolder = folders.size() > 1 ? real_path.filename() : fs::path();
    FoundInputs& found = found_in[argument] = Search(argument, subfolder).found();
    for (const Input& input : found.inputs) in_folders.insert(canonical(input.path));
  }

  FoundInputs all;
  for (const std::string& argument : arguments) {
    if (argument.empty()) {
      all.failed.push_back({argument, {kExitUsage, "an empty file name was given"}});
    } else if (argument == kStdin || !is_folder(argument)) {
      const bool is_in_folder = argument != kStdin && in_folders.contains(canonical(argument));
      if (!is_in_folder) all.inputs.push_back({argument, {}});
    } else if (const auto found = found_in.extract(argument)) {
      std::ranges::move(found.mapped().inputs, std::back_inserter(all.inputs));
      std::ranges::move(found.mapped().failed, std::back_inserter(all.failed));
    }
  }
  return all;
}

}  // namespace steno::cli
