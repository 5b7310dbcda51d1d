// `steno models`: which models this machine has, and where.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/outcome.h"
#include "weights/model_cache.h"

namespace steno::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  steno models list
      name, layout, size and state of every model in the caches
  steno models path whisper-base
      the folder that -m whisper-base stands for)";

std::string model_line(const weights::ModelEntry& model, std::size_t name_columns) {
  const std::string state = model.missing.empty() ? "complete" : "missing " + model.missing;
  return fmt::format("{:<{}}  {:<18}  {:>7} MiB  {}\n", utf8::printable(model.name), name_columns,
                     model.layout.empty() ? "-" : model.layout, model.size_bytes >> 20,
                     utf8::printable(state));
}

int list_models() {
  const auto models = weights::list_models();
  if (models.empty()) {
    write_stderr(fmt::format("steno: there is no model yet; they belong into {}\n",
                             utf8::printable(weights::models_folder().string())));
  }
  std::size_t name_columns = 0;
  for (const auto& model : models) name_columns = std::max(name_columns, model.name.size());
  std::string table;
  for (const auto& model : models) table += model_line(model, name_columns);
  write_stdout(table);
  return kExitDone;
}

int print_path(const std::string& name) {
  write_stdout(weights::find_model(name).string() + '\n');
  return kExitDone;
}

}  // namespace

void add_models_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("models", "the models on this machine");
  command->require_subcommand(1);
  command->footer(kExamples);

  CLI::App* list = command->add_subcommand("list", "every model in the caches");
  list->footer(kExamples);
  list->final_callback([&action] { action = list_models; });

  CLI::App* path = command->add_subcommand("path", "the folder of one model");
  path->footer(kExamples);
  const auto name = std::make_shared<std::string>();
  path->add_option("name", *name, "as `steno models list` shows it")->type_name("NAME")->required();
  path->final_callback([name, &action] { action = [name] { return print_path(*name); }; });
}

}  // namespace steno::cli
