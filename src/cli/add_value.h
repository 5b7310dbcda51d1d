// How every option with a value is declared.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace steno::cli {

// An option whose text is parsed by `set`. Given twice, the last one counts.
void add_value(CLI::App& command, const std::string& names, const std::string& value_name,
               const std::string& default_text, const std::string& help,
               std::function<void(const std::string&)> set);

}  // namespace steno::cli
