// `steno doctor`: what this machine offers and what will be used of it.
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "audio/library_versions.h"
#include "base/json.h"
#include "base/thread_pool.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/outcome.h"
#include "ops/make_ops.h"
#include "weights/model_cache.h"

namespace steno::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kExamples = R"(Examples:
  steno doctor
      for people
  steno doctor --json
      for scripts and bug reports)";

std::int64_t memory_bytes() {
  return std::int64_t{::sysconf(_SC_PHYS_PAGES)} * ::sysconf(_SC_PAGESIZE);
}

Json cpu_object() {
  const ops::CpuReport cpu = ops::cpu_report();
  return {{"model", cpu.model},
          {"instructions", cpu.instructions},
          {"kernels", cpu.isa},
          {"compute_type", ops::name(ops::auto_compute_type())},
          {"usable_cores", num_usable_cores()}};
}

Json model_objects() {
  Json list = Json::array();
  for (const weights::ModelEntry& model : weights::list_models()) {
    list.push_back({{"name", model.name},
                    {"path", model.path.string()},
                    {"layout", model.layout},
                    {"size_bytes", model.size_bytes},
                    {"missing", model.missing}});
  }
  return list;
}

Json library_object() {
  Json libraries = Json::object();
  for (const audio::LibraryVersion& library : audio::library_versions()) {
    libraries[library.name] = library.version;
  }
  return libraries;
}

// Where a pipe is laid down when a container needs to seek.
Json temp_folder() {
  std::error_code error;
  const fs::path folder = fs::temp_directory_path(error);
  return {{"path", folder.string()},
          {"writable", !error && ::access(folder.c_str(), W_OK | X_OK) == 0}};
}

Json examine() {
  return {{"version", STENO_VERSION},
          {"cpu", cpu_object()},
          {"libraries", library_object()},
          {"memory_bytes", memory_bytes()},
          {"models_folder", weights::models_folder().string()},
          {"models", model_objects()},
          {"temp_folder", temp_folder()}};
}

std::string text_of(const Json& value) {
  return utf8::printable(value.get_ref<const std::string&>());
}

std::string models_text(const Json& report) {
  if (report["models"].empty()) return "none yet";
  std::vector<std::string> names;
  for (const Json& model : report["models"]) {
    const bool is_complete = model["missing"].get_ref<const std::string&>().empty();
    names.push_back(text_of(model["name"]) + (is_complete ? "" : " (incomplete)"));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string libraries_text(const Json& report) {
  std::vector<std::string> libraries;
  for (const auto& [name, version] : report["libraries"].items()) {
    libraries.push_back(name + " " + text_of(version));
  }
  return fmt::format("{}", fmt::join(libraries, ", "));
}

std::string for_people(const Json& report) {
  const Json& cpu = report["cpu"];
  const auto instructions = cpu["instructions"].get<std::vector<std::string>>();
  const Json& temp = report["temp_folder"];
  std::string out;
  out += fmt::format("steno         {}\n", text_of(report["version"]));
  out += fmt::format("cpu           {}\n", text_of(cpu["model"]));
  out += fmt::format("instructions  {}\n", fmt::join(instructions, " "));
  out += fmt::format("kernels       {}, compute type {}\n", text_of(cpu["kernels"]),
                     text_of(cpu["compute_type"]));
  out += fmt::format("cores         {} usable\n", cpu["usable_cores"].get<int>());
  out += fmt::format("memory        {} MiB\n", report["memory_bytes"].get<std::int64_t>() >> 20);
  out += fmt::format("libraries     {}\n", libraries_text(report));
  out += fmt::format("models        {} in {}\n", models_text(report),
                     text_of(report["models_folder"]));
  out += fmt::format("temp folder   {} ({})\n", text_of(temp["path"]),
                     temp["writable"].get<bool>() ? "writable" : "NOT writable: set TMPDIR");
  return out;
}

}  // namespace

void add_doctor_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("doctor", "what this machine offers to steno");
  command->footer(kExamples);
  const auto as_json = std::make_shared<bool>(false);
  command->add_flag("--json", *as_json, "one JSON object");
  command->final_callback([as_json, &action] {
    action = [as_json] {
      const Json report = examine();
      write_stdout(*as_json ? json::print(report, 2) + '\n' : for_people(report));
      return kExitDone;
    };
  });
}

}  // namespace steno::cli
