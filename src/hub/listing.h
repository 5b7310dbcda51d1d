// Which files a model on the hub has, and which of them steno needs: pure, the answer is given.
//
// Everything in an answer is untrusted: names, sizes and hashes are checked here.
// Source: the hub's API, GET /api/models/{repository}/revision/{revision}?blobs=true
// (huggingface.co /docs/hub/api); huggingface_hub 1.0 hf_api.py ModelInfo, RepoSibling.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace steno::hub {

struct RemoteFile {
  std::string name;
  std::uint64_t size_bytes = 0;
  // Of the content: SHA-256 (64 digits) of a large file, else git's SHA-1 of a blob (40 digits).
  // The hub's ETag, and the name in the cache.
  std::string hash;
};

struct Listing {
  std::string commit;
  std::vector<RemoteFile> files;
};

// Throws Error(kUnavailable) that begins with `where` when this is no such answer, or has a name
// that would leave the model's folder.
Listing parse_listing(std::string_view answer, std::string_view where);

// What is fetched, in this order: configuration, tokenizer, then model.safetensors, or the index of
// its shards (shards_of has the rest), or CTranslate2's model.bin. Pickles never. Throws
// Error(kInvalidModel) when the model has none of these weights, naming what it has.
std::vector<RemoteFile> choose_files(const Listing& listing, std::string_view where);

// The shards that an index names. Throws Error(kInvalidModel) when one is not in the listing.
std::vector<RemoteFile> shards_of(const Listing& listing, const std::vector<std::string>& names,
                                  std::string_view where);

}  // namespace steno::hub
