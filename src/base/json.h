// JSON through nlohmann::json: parsing that throws our Error with the place, printing that is
// always valid UTF-8 and never NaN. Only .cc files include the big header; headers include
// <nlohmann/json_fwd.hpp>.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace steno::json {

// Throws Error(code kInvalidModel) naming `where` and the byte offset on malformed text. Refused as
// well: more than 64 MiB of text, nesting deeper than 256, more than two million values. The
// largest tokenizer we know has 11 MiB and 600,000 values. TRAP: the library's destructor
// allocates, and ends the process where memory is exhausted; the limits keep what it needs small
// (16 bytes a value).
nlohmann::json parse(std::string_view text, std::string_view where);

// Compact (indent < 0) or indented text; malformed UTF-8 is replaced by U+FFFD, NaN and infinities
// by null.
std::string print(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace steno::json
