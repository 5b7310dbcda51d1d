// `steno models`: which models this machine has, and where.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/outcome.h"
#include "weights/model_cache.h"
#include "weights/model_names.h"

namespace steno::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  steno models list
      name, format, size and folder of every model in the caches, then what can be fetched
  steno models pull large-v3
      fetches a model from the Hugging Face hub
  steno models path whisper-base
      the folder that -m whisper-base stands for)";

// Columns of the table: name, format, size, state or path.
using Row = std::array<std::string, 4>;

Row row_of(const weights::ModelEntry& model) {
  const std::string state = model.missing.empty() ? "" : fmt::format(" (lacks {})", model.missing);
  return {utf8::printable(model.name), model.layout.empty() ? "-" : model.layout,
          fmt::format("{} MiB", model.size_bytes >> 20),
          utf8::printable(model.path.string() + state)};
}

// Short names of what is not there yet.
std::vector<Row> pullable_rows(const std::vector<weights::ModelEntry>& models) {
  std::vector<Row> rows;
  for (const weights::ShortName& known : weights::short_names()) {
    const bool is_there = std::ranges::any_of(
        models, [&](const weights::ModelEntry& model) { return model.name == known.repository; });
    if (is_there) continue;
    rows.push_back(
        {std::string(known.name), "-", "-",
         fmt::format("not here: steno models pull {} ({})", known.name, known.repository)});
  }
  return rows;
}

std::string table_of(const std::vector<Row>& rows) {
  std::array<std::size_t, 4> columns{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) columns[i] = std::max(columns[i], row[i].size());
  }
  std::string table;
  for (const Row& row : rows) {
    table += fmt::format("{:<{}}  {:<{}}  {:>{}}  {}\n", row[0], columns[0], row[1], columns[1],
                         row[2], columns[2], row[3]);
  }
  return table;
}

int list_models() {
  const auto models = weights::list_models();
  std::vector<Row> rows;
  for (const auto& model : models) rows.push_back(row_of(model));
  for (Row& row : pullable_rows(models)) rows.push_back(std::move(row));
  write_stdout(table_of(rows));
  return kExitDone;
}

int print_path(const std::string& name) {
  write_stdout(weights::find_model(name).string() + '\n');
  return kExitDone;
}

}  // namespace

void add_models_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("models", "the models on this machine");
  command->require_subcommand(0, 1);  // alone it shows its help (program.cc)
  command->footer(kExamples);

  CLI::App* list = command->add_subcommand("list", "every model in the caches");
  list->footer(kExamples);
  list->final_callback([&action] { action = list_models; });

  add_pull_command(*command, action);

  CLI::App* path = command->add_subcommand("path", "the folder of one model");
  path->footer(kExamples);
  const auto name = std::make_shared<std::string>();
  path->add_option("name", *name, "as `steno models list` shows it")->type_name("NAME")->required();
  path->final_callback([name, &action] { action = [name] { return print_path(*name); }; });
}

}  // namespace steno::cli
