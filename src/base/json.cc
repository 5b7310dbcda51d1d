#include "base/json.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/utf8.h"

namespace steno::json {
namespace {

constexpr int kMaxDepth = 256;
constexpr std::size_t kMaxTextBytes = std::size_t{64} << 20;
constexpr std::size_t kMaxValues = 2'000'000;

// The library's message without its "[json.exception.parse_error.101] " tag. It quotes the text,
// which need not be UTF-8.
std::string reason(const nlohmann::json::exception& error) {
  const std::string_view message = error.what();
  const std::size_t tag_end = message.find("] ");
  return utf8::replace_invalid(tag_end == std::string_view::npos ? message
                                                                 : message.substr(tag_end + 2));
}

}  // namespace

nlohmann::json parse(std::string_view text, std::string_view where) {
  using Event = nlohmann::json::parse_event_t;
  if (text.size() > kMaxTextBytes) {
    throw Error(ErrorCode::kInvalidModel, "{}: {} MiB of JSON, expected at most {}", where,
                text.size() >> 20, kMaxTextBytes >> 20);
  }
  std::size_t num_values = 0;
  const auto check = [&](int depth, Event event, nlohmann::json&) {
    const bool opens = event == Event::array_start || event == Event::object_start;
    num_values += opens || event == Event::value ? 1 : 0;
    if (num_values > kMaxValues) {
      throw Error(ErrorCode::kInvalidModel, "{}: JSON of more than {} values", where, kMaxValues);
    }
    if (opens && depth >= kMaxDepth) {
      throw Error(ErrorCode::kInvalidModel, "{}: JSON nested deeper than {} levels", where,
                  kMaxDepth);
    }
    return true;
  };
  try {
    return nlohmann::json::parse(text, check);
  } catch (const nlohmann::json::parse_error& error) {
    throw Error(ErrorCode::kInvalidModel, "{}: not valid JSON at byte {}: {}", where, error.byte,
                reason(error));
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::kInvalidModel, "{}: not valid JSON: {}", where, reason(error));
  }
}

std::string print(const nlohmann::ordered_json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace steno::json
