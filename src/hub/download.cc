#include "hub/download.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/utf8.h"
#include "hub/digest.h"

namespace steno::hub {
namespace {

constexpr int kMaxAttempts = 5;

// What has come so far, on disk and in the hash.
class PartialFile {
 public:
  PartialFile(const RepositoryFolder& folder, const RemoteFile& file)
      : path_(folder.partial(file)), file_(file), digest_(fresh_digest()) {
    fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd_ < 0) throw_write_error(errno);
    read_what_is_there();
  }
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile() { ::close(fd_); }

  std::uint64_t size_bytes() const { return size_bytes_; }

  void restart() {
    if (::ftruncate(fd_, 0) != 0) throw_write_error(errno);
    size_bytes_ = 0;
    digest_ = fresh_digest();
  }

  void append(std::span<const char> bytes) {
    if (bytes.size() > file_.size_bytes - size_bytes_) {
      throw Error(ErrorCode::kUnavailable, "hub: {}: more bytes come than the {} announced",
                  file_.name, file_.size_bytes);
    }
    digest_->update(bytes);
    while (!bytes.empty()) {
      const ssize_t written =
          ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(size_bytes_));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw_write_error(errno);
      size_bytes_ += static_cast<std::uint64_t>(written);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  // Once all bytes are there.
  std::string finish() { return digest_->finish(); }

  void sync() {
    if (::fsync(fd_) != 0) throw_write_error(errno);
  }

  void remove() { ::unlink(path_.c_str()); }

 private:
  std::unique_ptr<Digest> fresh_digest() const {
    return std::make_unique<Digest>(file_.hash.size(), file_.size_bytes);
  }

  [[noreturn]] void throw_write_error(int number) const {
    const bool is_full = number == ENOSPC || number == EDQUOT || number == EFBIG;
    throw Error(ErrorCode::kUnavailable, "hub: {}: cannot write: {}{}", path_.string(),
                std::generic_category().message(number),
                is_full ? fmt::format("; {} MiB more are needed. What has come is kept: make room "
                                      "and run the command again",
                                      ((file_.size_bytes - size_bytes_) >> 20) + 1)
                        : "");
  }

  void read_what_is_there() {
    struct stat status {};
    if (::fstat(fd_, &status) != 0) throw_write_error(errno);
    if (static_cast<std::uint64_t>(status.st_size) > file_.size_bytes) return restart();
    std::vector<char> piece(std::size_t{1} << 20);
    while (true) {
      const ssize_t got = ::pread(fd_, piece.data(), piece.size(), static_cast<off_t>(size_bytes_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) throw_write_error(errno);
      if (got == 0) return;
      if (static_cast<std::uint64_t>(got) > file_.size_bytes - size_bytes_) return restart();
      digest_->update({piece.data(), static_cast<std::size_t>(got)});
      size_bytes_ += static_cast<std::uint64_t>(got);
    }
  }

  std::filesystem::path path_;
  const RemoteFile& file_;
  std::unique_ptr<Digest> digest_;
  int fd_ = -1;
  std::uint64_t size_bytes_ = 0;
};

std::string url_of(const Settings& settings, const ModelId& id, const std::string& commit,
                   const RemoteFile& file) {
  return fmt::format("{}/{}/resolve/{}/{}", settings.endpoint, id.repository, commit,
                     percent_encode(file.name));
}

// A resumed transfer goes on where we are, or begins anew when the server ignores the range.
void begin_transfer(const Answer& answer, const RemoteFile& file, PartialFile& partial) {
  if (!answer.linked_etag.empty() && answer.linked_etag != file.hash) {
    throw Error(ErrorCode::kUnavailable,
                "hub: {}: the hub has {} now, {} was announced (changed meanwhile? run the command "
                "again)",
                file.name, utf8::printable(answer.linked_etag), file.hash);
  }
  if (answer.first_byte == partial.size_bytes()) return;
  if (answer.first_byte != 0) {
    throw Error(ErrorCode::kUnavailable, "hub: {}: asked for bytes from {} on, got them from {}",
                file.name, partial.size_bytes(), answer.first_byte);
  }
  partial.restart();
}

// Brings the partial file to its full size.
void fetch_rest(Http& http, const Settings& settings, const ModelId& id, const std::string& commit,
                const RemoteFile& file, const DownloadEvents& events, PartialFile& partial) {
  constexpr std::uint64_t kProgressBytes = 1 << 20;  // an attempt that brings less counts as failed
  const auto request = [&] {
    Request r;
    r.url = url_of(settings, id, commit, file);
    r.first_byte = partial.size_bytes();
    r.on_begin = [&](const Answer& answer) { begin_transfer(answer, file, partial); };
    r.on_bytes = [&](std::span<const char> bytes) {
      partial.append(bytes);
      events.on_bytes_done(partial.size_bytes());
    };
    return r;
  };
  // Against the most that any attempt reached: a server that always begins anew brings nothing.
  std::uint64_t most_bytes = partial.size_bytes();
  const auto has_progressed = [&] {
    const bool is_more = partial.size_bytes() >= most_bytes + kProgressBytes;
    most_bytes = std::max(most_bytes, partial.size_bytes());
    return is_more;
  };
  bool may_begin_anew = true;
  while (partial.size_bytes() < file.size_bytes) {
    const std::uint64_t before = partial.size_bytes();
    const Answer answer = get_patiently(http, settings, request, has_progressed);
    if (answer.status == 416 && may_begin_anew) {  // no such range: not the file we had begun
      may_begin_anew = false;
      partial.restart();
      continue;
    }
    if (!answer.is_whole()) throw refusal(answer, id, settings);
    if (partial.size_bytes() < file.size_bytes && partial.size_bytes() <= before) {
      throw Error(ErrorCode::kUnavailable, "hub: {}: the hub sends {} bytes, {} were announced",
                  file.name, partial.size_bytes(), file.size_bytes);
    }
  }
}

}  // namespace

std::optional<double> pause_before_s(int attempt, double first_pause_s,
                                     std::optional<int> retry_after_s) {
  constexpr double kMaxPauseS = 30;
  constexpr int kMaxAskedS = 300;
  if (retry_after_s) {
    if (*retry_after_s > kMaxAskedS) return std::nullopt;
    return *retry_after_s;
  }
  return std::min(first_pause_s * std::exp2(attempt - 1), kMaxPauseS);
}

Error refusal(const Answer& answer, const ModelId& id, const Settings& settings) {
  const std::string page = fmt::format("{}/{}", settings.endpoint, id.repository);
  if (answer.status == 401 && settings.token.empty()) {
    return {ErrorCode::kNotFound,
            "hub: {}: the hub asks who we are (401): there is no such model, or it is private or "
            "gated. Check the name; for a gated one accept its terms at {} and set HF_TOKEN",
            id.text(), page};
  }
  if (answer.status == 401) {
    return {ErrorCode::kNotFound,
            "hub: {}: the hub does not take the token (401): renew HF_TOKEN, or check the name",
            id.text()};
  }
  if (answer.status == 403) {
    return {ErrorCode::kNotFound,
            "hub: {}: access is refused (403): it is private or gated. Accept its terms at {} with "
            "the account that HF_TOKEN belongs to",
            id.text(), page};
  }
  if (answer.status == 404) {
    return {ErrorCode::kNotFound, "hub: {}: there is no such model, revision or file at {} (404)",
            id.text(), settings.endpoint};
  }
  if (answer.status == 429) {
    return {ErrorCode::kUnavailable, "hub: {}: too many requests (429); try again later{}",
            id.text(), settings.token.empty() ? ", or set HF_TOKEN" : ""};
  }
  if (!answer.failure.empty()) {
    return {ErrorCode::kUnavailable,
            "hub: {}: {}. What has come is kept: run the command again. Behind a proxy set "
            "HTTPS_PROXY; a mirror is HF_ENDPOINT",
            id.text(), answer.failure};
  }
  return {ErrorCode::kUnavailable, "hub: {}: the hub answers {}; try again later", id.text(),
          answer.status};
}

Answer get_patiently(Http& http, const Settings& settings, const std::function<Request()>& request,
                     const std::function<bool()>& has_progressed) {
  int attempt = 0;
  while (true) {
    Answer answer = http.get(request());
    if (!answer.is_transient()) return answer;
    attempt = has_progressed() ? 1 : attempt + 1;
    const auto pause_s = pause_before_s(attempt, settings.retry_pause_s, answer.retry_after_s);
    if (attempt >= kMaxAttempts || !pause_s) return answer;
    std::this_thread::sleep_for(std::chrono::duration<double>(*pause_s));
  }
}

void download(Http& http, const Settings& settings, const RepositoryFolder& folder,
              const ModelId& id, const std::string& commit, const RemoteFile& file,
              const DownloadEvents& events) {
  PartialFile partial(folder, file);
  bool may_be_stale = partial.size_bytes() > 0;
  while (true) {
    fetch_rest(http, settings, id, commit, file, events, partial);
    const std::string hash = partial.finish();
    if (hash == file.hash) break;
    if (!may_be_stale) {
      partial.remove();
      throw Error(ErrorCode::kInvalidModel,
                  "hub: {}: {}: its content has the hash {}, expected {}; it was thrown away "
                  "(damaged on the way? run the command again)",
                  id.text(), file.name, hash, file.hash);
    }
    events.on_note(
        fmt::format("{}: what an earlier run left does not fit; from the start again", file.name));
    may_be_stale = false;
    partial.restart();
  }
  partial.sync();
  folder.publish(file);
}

}  // namespace steno::hub
