// What `steno bench asr` measures on: recordings with what is said in them, a JSON object a line.
//
//   {"path": "a.wav", "language": "en", "text": "What is said.", "id": "a", "set": "clean"}
//
// `audio` and NeMo's `audio_filepath` stand for `path`, `reference` for `text`, `lang` for
// `language`; `id` and `set` may be left out, more fields are ignored. A relative path counts from
// the manifest's folder.
// Path: a file -> here -> cli/bench_asr.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace steno::cli {

struct BenchItem {
  std::string id;        // without one: the path, as it is written
  std::string path;      // absolute, or relative to the working folder
  std::string language;  // a code of text/languages
  std::string set;       // empty: not given
  std::string reference;
};

// `default_language` is for lines without one; empty: they are refused. `path` is the manifest's,
// for messages and relative paths. Throws Error(kInvalidValue) that names the line.
std::vector<BenchItem> parse_manifest(std::string_view text, const std::filesystem::path& path,
                                      const std::string& default_language);

}  // namespace steno::cli
