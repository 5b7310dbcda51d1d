#include "hub/model_id.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "base/utf8.h"
#include "weights/model_names.h"

namespace steno::hub {
namespace {

constexpr std::size_t kMaxPartBytes = 96;  // the hub's own limit
constexpr std::size_t kMaxRevisionBytes = 255;

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// TRAP: "--" stands for the slash in the cache's folder names, so the hub allows it in no name.
bool is_repository_part(std::string_view part) {
  return !part.empty() && part.size() <= kMaxPartBytes && part.front() != '.' &&
         part.front() != '-' && part.back() != '.' && part.back() != '-' &&
         part.find("--") == std::string_view::npos && part.find("..") == std::string_view::npos &&
         std::ranges::all_of(part, [](char c) {
           return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
         });
}

bool is_revision(std::string_view revision) {
  const auto is_allowed = [](char c) {
    return is_letter_or_digit(c) || std::string_view("._-/+").find(c) != std::string_view::npos;
  };
  return !revision.empty() && revision.size() <= kMaxRevisionBytes && revision.front() != '/' &&
         revision.front() != '.' && revision.front() != '-' && revision.back() != '/' &&
         revision.back() != '.' && revision.find("..") == std::string_view::npos &&
         revision.find("//") == std::string_view::npos &&
         revision.find("/.") == std::string_view::npos && std::ranges::all_of(revision, is_allowed);
}

}  // namespace

std::string ModelId::text() const {
  return revision == "main" ? repository : fmt::format("{}@{}", repository, revision);
}

ModelId parse_model_id(std::string_view text) {
  ModelId id;
  const std::size_t at = text.find('@');
  id.repository = weights::repository_of(text.substr(0, at));
  if (at != std::string_view::npos) id.revision = text.substr(at + 1);
  const std::size_t slash = id.repository.find('/');
  const bool is_known_form = slash != std::string::npos &&
                             is_repository_part(id.repository.substr(0, slash)) &&
                             is_repository_part(id.repository.substr(slash + 1));
  if (!is_known_form) {
    throw Error(
        ErrorCode::kUsage,
        "\"{}\" is no model on the hub: expected org/name, org/name@revision or a short name "
        "(`steno models list` shows them)",
        utf8::printable(text));
  }
  if (!is_revision(id.revision)) {
    throw Error(ErrorCode::kUsage, "\"{}\" is no revision: expected a branch, a tag or a commit",
                utf8::printable(id.revision));
  }
  return id;
}

bool is_git_hash(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) && std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

std::string percent_encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_letter_or_digit(c) || std::string_view("-._~").find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace steno::hub
