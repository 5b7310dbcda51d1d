// JSON through nlohmann::json: parsing that throws our Error with the place, printing that is
// always valid UTF-8 and never NaN. Only .cc files include the big header; headers include
// <nlohmann/json_fwd.hpp>.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace steno::json {

// Throws Error(code kInvalidModel) naming `where` and the byte offset on malformed text. Nesting
// deeper than 256 is refused.
nlohmann::json parse(std::string_view text, std::string_view where);

// Compact (indent < 0) or indented text; malformed UTF-8 is replaced by U+FFFD, NaN and infinities
// by null.
std::string print(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace steno::json
