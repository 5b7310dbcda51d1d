// Where bytes come from: a file, a descriptor, memory, or any stream of one's own.
//
// A name is only ever shown to people or given to open(2): nothing interprets it, so `http://x`,
// `concat:a|b`, `-` and `a"; touch x; ".mp3` are files of that name.
// Path: cli, server, batch -> here -> audio/decoder.
// Threads: a Source may be copied and opened anywhere; a ByteStream belongs to one thread at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace steno::audio {

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  // Fills a part of `out`, at least one byte; 0 is the end. Throws Error(kUnavailable) when reading
  // fails.
  virtual std::size_t read(std::span<std::byte> out) = 0;

  // A stream that knows its size can seek to any offset in [0, size]; one without can only go on.
  virtual std::optional<std::int64_t> size_bytes() const { return std::nullopt; }
  virtual void seek(std::int64_t /*offset_bytes*/) {}
};

class Source {
 public:
  using Opener = std::function<std::unique_ptr<ByteStream>()>;

  static Source file(const std::filesystem::path& path);
  static Source stdin_stream();                        // what is left of standard input
  static Source descriptor(int fd, std::string name);  // stays open; closing it is the caller's
  static Source memory(std::string bytes, std::string name);
  // `bytes` must outlive all streams.
  static Source view(std::span<const std::byte> bytes, std::string name);
  static Source custom(Opener opener, std::string name);

  // For messages, valid UTF-8.
  const std::string& name() const { return name_; }

  // Throws Error(kNotFound) where there is no such file or no right to read it,
  // Error(kInvalidAudio) for a directory.
  std::unique_ptr<ByteStream> open() const { return opener_(); }

 private:
  Source(Opener opener, const std::string& name);

  Opener opener_;
  std::string name_;
};

}  // namespace steno::audio
