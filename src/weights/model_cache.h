// Where models live on this machine, and how a name becomes a folder.
//
// steno's own: $STENO_MODELS, else $XDG_CACHE_HOME/steno/models, else ~/.cache/steno/models; each
// model is a folder there, filled by tools/fetch_model.py. Read as well: the Hugging Face hub cache
// ($HF_HUB_CACHE, else $HF_HOME/hub, else $XDG_CACHE_HOME/huggingface/hub, else
// ~/.cache/huggingface/hub), where a model is models--<org>--<name>/snapshots/<revision> and called
// <org>/<name> here. Names are the operator's (command line, configuration), never a request's: a
// path is opened as it is. "~" is $HOME, else the home folder that the system has for the user; with
// neither, whoever needs it gets Error(kInvalidValue).
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace steno::weights {

struct ModelEntry {
  std::string name;  // "whisper-base", "openai/whisper-base"
  std::filesystem::path path;
  // "ctranslate2", "safetensors", "safetensors shards", "" when there are no weights
  std::string layout;
  std::uint64_t size_bytes = 0;  // all files of the folder
  std::string missing;           // files that should be there, comma separated; empty: complete
};

std::filesystem::path models_folder();

// Both caches, sorted by name within each; steno's own first.
std::vector<ModelEntry> list_models();

// A path that exists is taken as it is; else a name in list_models(); else the last part of a hub
// name if only one has it. Throws Error(kNotFound) that lists what is there and says how to fetch.
std::filesystem::path find_model(std::string_view name_or_path);

}  // namespace steno::weights
