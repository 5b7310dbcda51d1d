#include "hub/pull.h"

#include <fmt/core.h>

#include <optional>
#include <vector>

#include "base/error.h"
#include "hub/download.h"
#include "hub/http.h"
#include "hub/listing.h"
#include "hub/repository_folder.h"
#include "weights/model_cache.h"
#include "weights/safetensors.h"

namespace steno::hub {
namespace {

Listing fetch_listing(Http& http, const ModelId& id, const Settings& settings) {
  constexpr std::size_t kMaxAnswerBytes = std::size_t{16} << 20;  // Whisper's have some 5 KB
  const std::string where = "hub: " + id.text();
  std::string text;
  const auto request = [&] {
    Request r;
    r.url = fmt::format("{}/api/models/{}/revision/{}?blobs=true", settings.endpoint, id.repository,
                        percent_encode(id.revision));
    r.on_begin = [&](const Answer&) { text.clear(); };
    r.on_bytes = [&](std::span<const char> bytes) {
      if (bytes.size() > kMaxAnswerBytes - text.size()) {
        throw Error(ErrorCode::kUnavailable, "{}: the hub's answer does not end", where);
      }
      text.append(bytes.data(), bytes.size());
    };
    return r;
  };
  const Answer answer = get_patiently(http, settings, request, [] { return false; });
  if (!answer.is_whole()) throw refusal(answer, id, settings);
  return parse_listing(text, where);
}

// Fetches files into one snapshot.
class Session {
 public:
  Session(const ModelId& id, const Settings& settings, const PullOptions& options)
      : id_(id),
        settings_(settings),
        options_(options),
        http_(settings),
        folder_(settings.cache, id) {}

  Pulled run() {
    listing_ = fetch_listing(http_, id_, settings_);
    const std::string where = "hub: " + id_.text();
    folder_.make();
    const std::vector<RemoteFile> files = choose_files(listing_, where);
    fetch_all(files);
    const std::filesystem::path snapshot = folder_.snapshot(listing_.commit);
    if (files.back().name == kIndex) {
      fetch_all(shards_of(listing_, weights::shard_names(snapshot / kIndex), where));
    }
    folder_.write_ref(id_.revision, listing_.commit);
    return {.folder = snapshot,
            .commit = listing_.commit,
            .was_there = false,
            .fetched_bytes = bytes_done_};
  }

 private:
  static constexpr const char* kIndex = "model.safetensors.index.json";

  void fetch_all(const std::vector<RemoteFile>& files) {
    std::uint64_t missing_bytes = 0;
    for (const RemoteFile& file : files) {
      if (!folder_.has_blob(file)) missing_bytes += file.size_bytes;
    }
    check_room(files, missing_bytes);
    bytes_total_ += missing_bytes;
    for (const RemoteFile& file : files) fetch(file);
  }

  void check_room(const std::vector<RemoteFile>& files, std::uint64_t missing_bytes) const {
    std::uint64_t partly_bytes = 0;
    for (const RemoteFile& file : files) {
      std::error_code error;
      const std::uintmax_t size = std::filesystem::file_size(folder_.partial(file), error);
      if (!error) partly_bytes += size;
    }
    const std::uint64_t needed = missing_bytes > partly_bytes ? missing_bytes - partly_bytes : 0;
    if (needed <= folder_.free_bytes()) return;
    throw Error(
        ErrorCode::kUnavailable,
        "hub: {}: {} MiB are to be fetched into {}, which has {} MiB left: make room, or set "
        "HF_HUB_CACHE to another folder",
        id_.text(), needed >> 20, settings_.cache.string(), folder_.free_bytes() >> 20);
  }

  void fetch(const RemoteFile& file) {
    if (!folder_.has_blob(file)) {
      const auto on_wait = [&] {
        options_.on_note(fmt::format("{}: another process is fetching it; waiting", file.name));
      };
      const OwnedFd lock = folder_.lock(file, on_wait);
      if (!folder_.has_blob(file)) fetch_blob(file);  // the other process may have brought it
    }
    folder_.link(listing_.commit, file);
  }

  void fetch_blob(const RemoteFile& file) {
    const std::uint64_t before = bytes_done_;
    const auto on_bytes_done = [&](std::uint64_t bytes) {
      bytes_done_ = before + bytes;
      options_.on_progress(
          {.file = file.name, .bytes_done = bytes_done_, .bytes_total = bytes_total_});
    };
    download(http_, settings_, folder_, id_, listing_.commit, file,
             {.on_bytes_done = on_bytes_done, .on_note = options_.on_note});
    bytes_done_ = before + file.size_bytes;
  }

  const ModelId& id_;
  const Settings& settings_;
  const PullOptions& options_;
  Http http_;
  RepositoryFolder folder_;
  Listing listing_;
  std::uint64_t bytes_done_ = 0;
  std::uint64_t bytes_total_ = 0;
};

Error offline_error(const ModelId& id, const std::optional<weights::ModelEntry>& there,
                    const Settings& settings) {
  const std::string state =
      there ? fmt::format("lacks {}", there->missing) : std::string("is not there");
  return {ErrorCode::kNotFound,
          "hub: {}: {} in the cache {}, and the network is not to be used (--offline or "
          "HF_HUB_OFFLINE)",
          id.text(), state, settings.cache.string()};
}

}  // namespace

Pulled pull(const ModelId& id, const Settings& settings, const PullOptions& options) {
  const auto there = weights::find_hub_model(id.repository, id.revision);
  const bool is_complete = there && there->missing.empty();
  if (is_complete && (settings.is_offline || !options.looks_for_newer)) {
    return {.folder = there->path,
            .commit = there->path.filename().string(),
            .was_there = true,
            .fetched_bytes = 0};
  }
  if (settings.is_offline) throw offline_error(id, there, settings);
  return Session(id, settings, options).run();
}

}  // namespace steno::hub
