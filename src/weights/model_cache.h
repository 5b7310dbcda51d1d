// Where models live on this machine, and how a name becomes a folder.
//
// steno's own: $STENO_MODELS, else $XDG_CACHE_HOME/steno/models, else ~/.cache/steno/models; each
// model is a folder there, filled by tools/fetch_model.py. Read as well: the Hugging Face hub cache
// ($HF_HUB_CACHE, else $HF_HOME/hub, else $XDG_CACHE_HOME/huggingface/hub, else
// ~/.cache/huggingface/hub), where a model is models--<org>--<name>/snapshots/<revision> and called
// <org>/<name> here; room hub fills it. Names are the operator's (command line, configuration),
// never a request's: a path is opened as it is. "~" is $HOME, else the home folder that the system
// has for the user; with neither, whoever needs it gets Error(kInvalidValue).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steno::weights {

struct ModelEntry {
  std::string name;  // "whisper-base", "openai/whisper-base"
  std::filesystem::path path;
  // "ctranslate2", "safetensors", "safetensors shards", "openai", "" when there are no weights
  std::string layout;
  std::uint64_t size_bytes = 0;  // all files of the folder
  std::string missing;           // files that should be there, comma separated; empty: complete
};

std::filesystem::path models_folder();
std::filesystem::path hub_home();    // $HF_HOME: of the hub cache, unless that is elsewhere, and of
                                     // the token
std::filesystem::path hub_folder();  // the hub cache

// Both caches, sorted by name within each; steno's own first.
std::vector<ModelEntry> list_models();

// One model of the hub cache at a revision (a branch or tag that was fetched, or a commit).
std::optional<ModelEntry> find_hub_model(std::string_view repository, std::string_view revision);

// A path that exists is taken as it is; else a name in list_models(); else the last part of a hub
// name if only one has it; else a short name (model_names.h), or org/name@revision. Never asks the
// network. Throws Error(kNotFound) that lists what is there, or what an incomplete model lacks, and
// says how to fetch.
std::filesystem::path find_model(std::string_view name_or_path);

}  // namespace steno::weights
