// The vectors in tests/golden/text, which tools/reference/text_goldens.py made with openai-whisper.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"

namespace steno::text {

inline nlohmann::ordered_json load_golden(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(STENO_SOURCE_DIR) / "tests" / "golden" / "text" / name;
  return nlohmann::ordered_json::parse(file::read(path));
}

}  // namespace steno::text
