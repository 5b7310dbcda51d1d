// One file of the hub into the cache: resumed where an earlier attempt ended, checked, whole or not
// there. Path: pull -> here -> http, repository_folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "hub/http.h"
#include "hub/listing.h"
#include "hub/model_id.h"
#include "hub/repository_folder.h"
#include "hub/settings.h"

namespace steno::hub {

// How long to wait before attempt `attempt` (1: the second): doubling, at most half a minute, or
// what the server asks for. Nothing when it asks for more than five minutes.
std::optional<double> pause_before_s(int attempt, double first_pause_s,
                                     std::optional<int> retry_after_s);

// Why the hub refuses, and what to do. `answer` is neither whole nor transient.
Error refusal(const Answer& answer, const ModelId& id, const Settings& settings);

// Repeats `request` while it fails for passing reasons: four times, more when `has_progressed`
// says that the last attempt brought something. The request may change from attempt to attempt.
Answer get_patiently(Http& http, const Settings& settings, const std::function<Request()>& request,
                     const std::function<bool()>& has_progressed);

struct DownloadEvents {
  std::function<void(std::uint64_t)> on_bytes_done;  // of this file, those of earlier runs included
  std::function<void(const std::string&)> on_note;   // a line for people
};

// Requires that the file's lock is held. Throws Error(kUnavailable) for what may pass (network,
// disk full: what has come is kept), Error(kInvalidModel) when the content is not what was
// announced (it is thrown away).
void download(Http& http, const Settings& settings, const RepositoryFolder& folder,
              const ModelId& id, const std::string& commit, const RemoteFile& file,
              const DownloadEvents& events);

}  // namespace steno::hub
