// One model in the hub cache, in the layout that the Python package huggingface_hub shares:
//
//   models--org--name/blobs/HASH                 the content; HASH.incomplete while it comes
//   models--org--name/snapshots/COMMIT/NAME  ->  ../../blobs/HASH
//   models--org--name/refs/REVISION              the commit a branch or tag stood for
//   .locks/models--org--name/HASH.lock           held (flock) by who fetches that blob
// Everything appears whole: blobs by rename after their hash was checked, links by rename, the ref
// last. Nothing that is complete is ever deleted.
// Source: huggingface_hub docs "Understand caching"; huggingface_hub 1.0 file_download.py.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "hub/listing.h"
#include "hub/model_id.h"

namespace steno::hub {

// A file descriptor that closes itself.
class OwnedFd {
 public:
  explicit OwnedFd(int fd = -1) : fd_(fd) {}
  ~OwnedFd();
  OwnedFd(OwnedFd&& other) noexcept;
  OwnedFd& operator=(OwnedFd&&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

class RepositoryFolder {
 public:
  RepositoryFolder(std::filesystem::path cache, const ModelId& id);

  // Waits while another process holds the lock; `on_wait` is called once before that.
  OwnedFd lock(const RemoteFile& file, const std::function<void()>& on_wait) const;

  std::filesystem::path blob(const RemoteFile& file) const;
  std::filesystem::path partial(const RemoteFile& file) const;
  bool has_blob(const RemoteFile& file) const;
  // partial -> blob. Requires that its content was checked.
  void publish(const RemoteFile& file) const;

  std::filesystem::path snapshot(std::string_view commit) const;
  void link(std::string_view commit, const RemoteFile& file) const;
  // No ref for a revision that is the commit itself.
  void write_ref(std::string_view revision, std::string_view commit) const;

  // What the file system has left for us.
  std::uint64_t free_bytes() const;

  // Makes the folder for blobs. Throws Error(kInvalidValue or kUnavailable).
  void make() const;

 private:
  std::filesystem::path cache_;
  std::string name_;  // "models--org--name"
};

}  // namespace steno::hub
