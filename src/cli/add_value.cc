#include "cli/add_value.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace steno::cli {

void add_value(CLI::App& command, const std::string& names, const std::string& value_name,
               const std::string& default_text, const std::string& help,
               std::function<void(const std::string&)> set) {
  command.add_option_function<std::string>(names, std::move(set), help)
      ->type_name(value_name)
      ->default_str(default_text)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

}  // namespace steno::cli
