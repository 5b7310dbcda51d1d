// What a user calls a model on the hub: "openai/whisper-small", "org/name@revision", "large-v3".
#pragma once

#include <string>
#include <string_view>

namespace steno::hub {

struct ModelId {
  std::string repository;         // "openai/whisper-small": safe in a path and in a URL
  std::string revision = "main";  // a branch, a tag or a commit; may hold slashes ("refs/pr/1")

  std::string text() const;  // "org/name", with "@revision" unless it is main
};

// Short names by weights/model_names.h. Throws Error(kUsage) for anything else.
ModelId parse_model_id(std::string_view text);

// 40 or 64 lower-case hexadecimal digits: what git calls an object.
bool is_git_hash(std::string_view text);

// For a URL: all but letters, digits and "-._~" as %XX.
std::string percent_encode(std::string_view text);

}  // namespace steno::hub
