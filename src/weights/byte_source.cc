#include "weights/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace steno::weights {
namespace {

[[noreturn]] void throw_ends_before(const ByteSource& source, std::uint64_t offset,
                                    std::size_t size) {
  throw Error(
      ErrorCode::kInvalidModel,
      "weights: {}: ends at byte {} but bytes {} to {} are needed (cut off while downloading, "
      "or changed while in use?)",
      source.name(), source.size_bytes(), offset, offset + size);
}

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path) : name_(path.string()) {
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // no wait at a named pipe
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) {
      const int reason = errno;
      close();
      throw Error(ErrorCode::kNotFound, "weights: {}: cannot be opened: {}", name_,
                  std::strerror(reason));
    }
    if (!S_ISREG(status.st_mode)) {
      close();
      throw Error(ErrorCode::kNotFound, "weights: {}: is not a regular file", name_);
    }
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override { close(); }

  std::uint64_t size_bytes() const override { return size_bytes_; }
  const std::string& name() const override { return name_; }

  void read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got =
          ::pread(file_, out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
      if (got > 0) {
        done += static_cast<std::size_t>(got);
      } else if (got == 0) {
        throw_ends_before(*this, offset, out.size());
      } else if (errno != EINTR) {
        throw Error(ErrorCode::kUnavailable, "weights: {}: cannot be read at byte {}: {}", name_,
                    offset + done, std::strerror(errno));
      }
    }
  }

 private:
  void close() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

  std::string name_;
  int file_ = -1;
  std::uint64_t size_bytes_ = 0;
};

class MemorySource : public ByteSource {
 public:
  MemorySource(std::span<const std::byte> bytes, std::string name)
      : bytes_(bytes), name_(std::move(name)) {}

  std::uint64_t size_bytes() const override { return bytes_.size(); }
  const std::string& name() const override { return name_; }

  void read_at(std::uint64_t offset, std::span<std::byte> out) const override {
    if (offset > bytes_.size() || out.size() > bytes_.size() - offset) {
      throw_ends_before(*this, offset, out.size());
    }
    if (!out.empty()) std::memcpy(out.data(), bytes_.data() + offset, out.size());
  }

 private:
  std::span<const std::byte> bytes_;
  std::string name_;
};

}  // namespace

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path) {
  return std::make_unique<FileSource>(path);
}

std::unique_ptr<ByteSource> borrow_memory(std::span<const std::byte> bytes, std::string name) {
  return std::make_unique<MemorySource>(bytes, std::move(name));
}

}  // namespace steno::weights
