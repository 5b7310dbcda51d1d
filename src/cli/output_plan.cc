#include "cli/output_plan.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>
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

// Gives each path to one input only.
class Claims {
 public:
  bool try_claim(const std::vector<PlannedOutput>& outputs) {
    const auto is_taken = [&](const PlannedOutput& output) { return taken_.contains(output.path); };
    if (std::ranges::any_of(outputs, is_taken)) return false;
    for (const PlannedOutput& output : outputs) taken_.insert(output.path);
    return true;
  }

 private:
  std::set<fs::path> taken_;
};

std::string refusal_of(const std::vector<PlannedOutput>& outputs) {
  for (const PlannedOutput& output : outputs) {
    if (output.path.filename().string().size() <= kMaxNameBytes) continue;
    return fmt::format(
        "the name of its {} output would be longer than {} bytes; rename the input or transcribe "
        "it alone without -o",
        name(output.format), kMaxNameBytes);
  }
  return "";
}

std::vector<std::size_t> sorted_by_path(const std::vector<Input>& inputs) {
  std::vector<std::size_t> order(inputs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return inputs[i].path; });
  return order;
}

}  // namespace

std::vector<PlannedInput> plan_outputs(const std::vector<Input>& inputs,
                                       const std::vector<Format>& formats, const fs::path& folder) {
  std::map<fs::path, int> num_inputs_of_stem;
  for (const Input& input : inputs) ++num_inputs_of_stem[input.subfolder / stem(input.path)];

  std::vector<PlannedInput> plan(inputs.size());
  Claims claims;
  // Names that need no number come first, so that a number never takes such a name.
  std::vector<std::size_t> to_be_numbered;
  for (const std::size_t i : sorted_by_path(inputs)) {
    const Input& input = inputs[i];
    const fs::path target = folder / input.subfolder;
    const bool is_alone = num_inputs_of_stem[input.subfolder / stem(input.path)] == 1;
    plan[i].input = input.path;
    plan[i].outputs = outputs_named(stem(input.path), formats, target);
    if (is_alone && claims.try_claim(plan[i].outputs)) continue;
    plan[i].outputs = outputs_named(file_name(input.path), formats, target);
    if (!claims.try_claim(plan[i].outputs)) to_be_numbered.push_back(i);
  }
  for (const std::size_t i : to_be_numbered) {
    plan[i].is_numbered = true;
    const Input& input = inputs[i];
    for (int number = 2;; ++number) {
      plan[i].outputs = outputs_named(fmt::format("{}-{}", file_name(input.path), number), formats,
                                      folder / input.subfolder);
      if (claims.try_claim(plan[i].outputs)) break;
    }
  }
  for (PlannedInput& planned : plan) planned.refusal = refusal_of(planned.outputs);
  return plan;
}

void check_stdout(std::size_t num_inputs, const std::vector<Format>& formats) {
  if (formats.size() > 1) {
    throw Error(ErrorCode::kUsage,
                "standard output takes one format, {} were asked for; use -o DIR to write files",
                formats.size());
  }
  const bool can_follow = formats[0] == Format::kTxt || formats[0] == Format::kJson;
  if (num_inputs > 1 && !can_follow) {
    throw Error(ErrorCode::kUsage,
                "the {} of {} files cannot share standard output; use -o DIR to write files",
                name(formats[0]), num_inputs);
  }
}

}  // namespace steno::cli
