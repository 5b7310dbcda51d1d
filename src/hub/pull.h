// Fetches a model from the Hugging Face hub into the hub cache, where weights::find_model and the
// Python packages find it. The only code of steno that uses the network.
//
// Path: cli/pull_command -> here -> listing (what to fetch), download (one file).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "hub/model_id.h"
#include "hub/settings.h"

namespace steno::hub {

struct PullProgress {
  std::string file;
  std::uint64_t bytes_done = 0;  // of all files, those that were there already left out
  std::uint64_t bytes_total = 0;
};

struct PullOptions {
  bool looks_for_newer = false;  // asks the hub although the model is there
  std::function<void(const PullProgress&)> on_progress = [](const PullProgress&) {};
  std::function<void(const std::string&)> on_note = [](const std::string&) {};  // a line for people
};

struct Pulled {
  std::filesystem::path folder;
  std::string commit;
  bool was_there = false;  // nothing was asked of the network
  std::uint64_t fetched_bytes = 0;
};

// A complete model is not asked for again, unless the options say so: no network call. Throws
// Error(kNotFound) when offline or when there is no such model, Error(kUnavailable) for what may
// pass, Error(kInvalidModel) when the model has no weights that steno reads. Whatever happens, the
// cache stays sound, and the next call goes on from there.
Pulled pull(const ModelId& id, const Settings& settings, const PullOptions& options);

}  // namespace steno::hub
