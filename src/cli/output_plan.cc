#include "cli/output_plan.h"

#include <fmt/core.h>

#include <map>
#include <set>

#include "base/error.h"

namespace steno::cli {
namespace {

namespace fs = std::filesystem;
using output::Format;

constexpr std::size_t kMaxNameBytes = 255;  // NAME_MAX of ext4, xfs, btrfs, APFS

std::string file_name(const std::string& input) {
  if (input == kStdin) return "stdin";
  const fs::path path = fs::path(input).lexically_normal();
  const std::string name = path.filename().string();
  return name.empty() ? path.parent_path().filename().string() : name;  // "folder/"
}

std::string stem(const std::string& input) {
  return fs::path(file_name(input)).stem().string();
}

std::vector<PlannedOutput> outputs_named(const std::string& base,
                                         const std::vector<Format>& formats,
                                         const fs::path& folder) {
  std::vector<PlannedOutput> outputs;
  for (const Format format : formats) {
    outputs.push_back({format, folder / (base + std::string(extension(format)))});
  }
  return outputs;
}

bool claim_all(const std::vector<PlannedOutput>& outputs, std::set<fs::path>& claimed) {
  for (const PlannedOutput& output : outputs) {
    if (claimed.contains(output.path)) return false;
  }
  for (const PlannedOutput& output : outputs) claimed.insert(output.path);
  return true;
}

void check_name_length(const std::string& input, const std::vector<PlannedOutput>& outputs) {
  for (const PlannedOutput& output : outputs) {
    if (output.path.filename().string().size() > kMaxNameBytes) {
      throw Error(
          ErrorCode::kUsage,
          "{}: the name of its {} output would be longer than {} bytes; rename the input or "
          "transcribe it alone without -o",
          input, name(output.format), kMaxNameBytes);
    }
  }
}

}  // namespace

std::vector<PlannedInput> plan_outputs(const std::vector<std::string>& inputs,
                                       const std::vector<Format>& formats, const fs::path& folder) {
  std::map<std::string, int> num_inputs_of_stem;
  for (const std::string& input : inputs) ++num_inputs_of_stem[stem(input)];

  std::vector<PlannedInput> plan;
  std::set<fs::path> claimed;
  for (const std::string& input : inputs) {
    const bool is_alone = num_inputs_of_stem[stem(input)] == 1;
    const std::string base = is_alone ? stem(input) : file_name(input);
    PlannedInput planned{outputs_named(base, formats, folder)};
    for (int i = 2; !claim_all(planned.outputs, claimed); ++i) {
      planned = {outputs_named(fmt::format("{}-{}", base, i), formats, folder), true};
    }
    check_name_length(input, planned.outputs);
    plan.push_back(std::move(planned));
  }
  return plan;
}

void check_stdout(const std::vector<std::string>& inputs, const std::vector<Format>& formats) {
  if (formats.size() > 1) {
    throw Error(ErrorCode::kUsage,
                "standard output takes one format, {} were asked for; use -o DIR to write files",
                formats.size());
  }
  const bool can_follow = formats[0] == Format::kTxt || formats[0] == Format::kJson;
  if (inputs.size() > 1 && !can_follow) {
    throw Error(ErrorCode::kUsage,
                "the {} of {} files cannot share standard output; use -o DIR to write files",
                name(formats[0]), inputs.size());
  }
}

}  // namespace steno::cli
