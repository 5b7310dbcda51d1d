#include "weights/zip_archive.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "weights/quote.h"

namespace steno::weights {
namespace {

constexpr std::uint64_t kEndBytes = 22;
constexpr std::uint64_t kLocatorBytes = 20;
constexpr std::uint64_t kEnd64Bytes = 56;
constexpr std::uint64_t kCentralBytes = 46;
constexpr std::uint64_t kLocalBytes = 30;
constexpr std::uint64_t kMaxCommentBytes = 65535;
// The largest Whisper has 1,260 entries; a directory takes 46 bytes and a name for each.
constexpr std::uint64_t kMaxEntries = 100'000;
constexpr std::uint64_t kMaxDirectoryBytes = 16 << 20;
constexpr std::uint32_t kIn64 = 0xffffffff;  // a 32-bit field whose value is in the zip64 extra

template <typename... Args>
Error invalid(const ByteSource& file, fmt::format_string<Args...> format, Args&&... args) {
  return {ErrorCode::kInvalidModel, "weights: {}: {}", file.name(),
          fmt::format(format, std::forward<Args>(args)...)};
}

std::string read_bytes(const ByteSource& file, std::uint64_t offset, std::uint64_t size) {
  std::string bytes(size, '\0');
  file.read_at(offset, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

// A little-endian number. Requires that the bytes are there.
template <typename T>
T number_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t num_entries = 0;
};

// The zip64 end record, when the locator before the end record (at `end`) leads to one.
std::optional<Directory> find_directory64(const ByteSource& file, std::uint64_t end) {
  if (end < kLocatorBytes) return std::nullopt;
  const std::string locator = read_bytes(file, end - kLocatorBytes, kLocatorBytes);
  if (!locator.starts_with("PK\x06\x07")) return std::nullopt;
  const auto offset = number_at<std::uint64_t>(locator, 8);
  if (end - kLocatorBytes < kEnd64Bytes || offset > end - kLocatorBytes - kEnd64Bytes) {
    throw invalid(file, "the zip64 end record would be at byte {}, outside the file", offset);
  }
  const std::string record = read_bytes(file, offset, kEnd64Bytes);
  if (!record.starts_with("PK\x06\x06")) {
    throw invalid(file, "there is no zip64 end record at byte {}", offset);
  }
  return Directory{.offset = number_at<std::uint64_t>(record, 48),
                   .size_bytes = number_at<std::uint64_t>(record, 40),
                   .num_entries = number_at<std::uint64_t>(record, 32)};
}

Directory find_directory(const ByteSource& file) {
  const std::uint64_t tail_bytes = std::min(file.size_bytes(), kEndBytes + kMaxCommentBytes);
  const std::string tail = read_bytes(file, file.size_bytes() - tail_bytes, tail_bytes);
  // TRAP: a comment may hold the signature; the true record's comment reaches the file's end.
  for (std::size_t at = tail.rfind("PK\x05\x06"); at != std::string::npos;
       at = at == 0 ? std::string::npos : tail.rfind("PK\x05\x06", at - 1)) {
    if (tail.size() - at < kEndBytes) continue;
    if (number_at<std::uint16_t>(tail, at + 20) != tail.size() - at - kEndBytes) continue;
    const std::uint64_t end = file.size_bytes() - tail_bytes + at;
    if (const auto directory = find_directory64(file, end)) return *directory;
    return {.offset = number_at<std::uint32_t>(tail, at + 16),
            .size_bytes = number_at<std::uint32_t>(tail, at + 12),
            .num_entries = number_at<std::uint16_t>(tail, at + 10)};
  }
  throw invalid(file, "is a zip archive without its end record (cut off while downloading?)");
}

void check_directory(const ByteSource& file, const Directory& directory) {
  if (directory.offset > file.size_bytes() ||
      directory.size_bytes > file.size_bytes() - directory.offset) {
    throw invalid(file,
                  "the zip directory claims bytes {} to {} of {} (cut off while downloading?)",
                  directory.offset, directory.offset + directory.size_bytes, file.size_bytes());
  }
  if (directory.num_entries > kMaxEntries || directory.size_bytes > kMaxDirectoryBytes) {
    throw invalid(file, "the zip directory has {} entries in {} bytes, more than any model has",
                  directory.num_entries, directory.size_bytes);
  }
}

// One record of the central directory, its numbers not yet checked.
struct Record {
  std::string_view name;
  std::string_view extra;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc32 = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t header_offset = 0;
};

std::string_view find_extra(std::string_view extra, std::uint16_t id) {
  while (extra.size() >= 4) {
    const auto size = std::size_t{number_at<std::uint16_t>(extra, 2)};
    if (size > extra.size() - 4) return {};
    if (number_at<std::uint16_t>(extra, 0) == id) return extra.substr(4, size);
    extra.remove_prefix(4 + size);
  }
  return {};
}

// The zip64 extra holds, in this order, only those fields that did not fit. False: it is too short.
bool fill_from_zip64(Record& record) {
  std::string_view wide = find_extra(record.extra, 1);
  for (std::uint64_t* field : {&record.size_bytes, &record.stored_bytes, &record.header_offset}) {
    if (*field != kIn64) continue;
    if (wide.size() < 8) return false;
    *field = number_at<std::uint64_t>(wide, 0);
    wide.remove_prefix(8);
  }
  return true;
}

// Takes a record off the front of `rest`.
Record take_record(const ByteSource& file, std::string_view& rest) {
  if (rest.size() < kCentralBytes || !rest.starts_with("PK\x01\x02")) {
    throw invalid(file, "the zip directory is malformed {} bytes before its end", rest.size());
  }
  const auto name_bytes = std::size_t{number_at<std::uint16_t>(rest, 28)};
  const auto extra_bytes = std::size_t{number_at<std::uint16_t>(rest, 30)};
  const auto comment_bytes = std::size_t{number_at<std::uint16_t>(rest, 32)};
  if (name_bytes + extra_bytes + comment_bytes > rest.size() - kCentralBytes) {
    throw invalid(file, "the zip directory is malformed {} bytes before its end", rest.size());
  }
  Record record{.name = rest.substr(kCentralBytes, name_bytes),
                .extra = rest.substr(kCentralBytes + name_bytes, extra_bytes),
                .flags = number_at<std::uint16_t>(rest, 8),
                .method = number_at<std::uint16_t>(rest, 10),
                .crc32 = number_at<std::uint32_t>(rest, 16),
                .stored_bytes = number_at<std::uint32_t>(rest, 20),
                .size_bytes = number_at<std::uint32_t>(rest, 24),
                .header_offset = number_at<std::uint32_t>(rest, 42)};
  if (!fill_from_zip64(record)) {
    throw invalid(file, "the zip entry {} lacks its 64-bit sizes", quote(record.name));
  }
  rest.remove_prefix(kCentralBytes + name_bytes + extra_bytes + comment_bytes);
  return record;
}

void check_is_stored(const ByteSource& file, const Record& record) {
  constexpr std::uint16_t kEncrypted = 1;
  if ((record.flags & kEncrypted) != 0) {
    throw invalid(file, "the zip entry {} is encrypted", quote(record.name));
  }
  if (record.method != 0 || record.stored_bytes != record.size_bytes) {
    throw invalid(file,
                  "the zip entry {} is compressed; torch.save stores entries as they are (was the "
                  "archive packed again?)",
                  quote(record.name));
  }
}

ZipEntry locate(const ByteSource& file, const Record& record, std::uint64_t data_end) {
  check_is_stored(file, record);
  const auto outside = [&] {
    return invalid(file, "the zip entry {} lies outside the file (cut off while downloading?)",
                   quote(record.name));
  };
  if (data_end < kLocalBytes || record.header_offset > data_end - kLocalBytes) throw outside();
  const std::string header = read_bytes(file, record.header_offset, kLocalBytes);
  if (!header.starts_with("PK\x03\x04") ||
      number_at<std::uint16_t>(header, 26) != record.name.size()) {
    throw invalid(file, "the zip entry {} has no header of its own at byte {}", quote(record.name),
                  record.header_offset);
  }
  const std::uint64_t offset = record.header_offset + kLocalBytes +
                               number_at<std::uint16_t>(header, 26) +
                               number_at<std::uint16_t>(header, 28);
  if (offset > data_end || record.size_bytes > data_end - offset) throw outside();
  return {std::string(record.name), offset, record.size_bytes, record.crc32};
}

void check_entries(const ByteSource& file, const std::vector<ZipEntry>& entries) {
  std::set<std::string_view> names;
  std::vector<const ZipEntry*> by_offset;
  for (const ZipEntry& entry : entries) {
    if (!names.insert(entry.name).second) {
      throw invalid(file, "the zip entry {} is there twice", quote(entry.name));
    }
    if (entry.size_bytes > 0) by_offset.push_back(&entry);
  }
  std::ranges::sort(by_offset, {}, &ZipEntry::offset);
  for (std::size_t i = 1; i < by_offset.size(); ++i) {
    const ZipEntry& before = *by_offset[i - 1];
    if (by_offset[i]->offset < before.offset + before.size_bytes) {
      throw invalid(file, "the zip entries {} and {} overlap", quote(before.name),
                    quote(by_offset[i]->name));
    }
  }
}

}  // namespace

std::vector<ZipEntry> read_zip_directory(const ByteSource& file) {
  const Directory directory = find_directory(file);
  check_directory(file, directory);
  const std::string bytes = read_bytes(file, directory.offset, directory.size_bytes);
  std::string_view rest = bytes;
  std::vector<ZipEntry> entries;
  for (std::uint64_t i = 0; i < directory.num_entries; ++i) {
    entries.push_back(locate(file, take_record(file, rest), directory.offset));
  }
  check_entries(file, entries);
  return entries;
}

}  // namespace steno::weights
