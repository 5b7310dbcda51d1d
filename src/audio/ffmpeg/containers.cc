#include "audio/ffmpeg/containers.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>

#include "audio/ffmpeg/messages.h"
#include "base/error.h"

extern "C" {
#include <libavformat/avformat.h>
}

namespace steno::audio {
namespace {

// clang-format off
constexpr Container kContainers[] = {
    {"wav", "wav", true},
    {"w64", "w64", true},
    {"mp3", "mp3", false},  // only by seeking does FFmpeg learn how much padding ends it
    {"ogg", "ogg", true},
    {"flac", "flac", true},
    {"matroska", "matroska", true},
    {"mov", "mp4", false},
    {"aac", "aac", true},
    {"loas", "loas", true},
    {"aiff", "aiff", false},
    {"caf", "caf", false},
    {"au", "au", true},
    {"amr", "amr", true},
    {"amrnb", "amr", true},
    {"amrwb", "amr", true},
    {"asf", "asf", false},
    {"avi", "avi", false},
    {"mpegts", "mpegts", true},
    {"mpeg", "mpeg", true},
    {"flv", "flv", true},
    {"mxf", "mxf", false},
    {"rm", "rm", false},
    {"wtv", "wtv", false},
    {"nut", "nut", false},
    {"ac3", "ac3", true},
    {"eac3", "eac3", true},
    {"dts", "dts", true},
    {"dtshd", "dts-hd", false},
    {"truehd", "truehd", true},
    {"mlp", "mlp", true},
    {"ape", "ape", false},
    {"wv", "wavpack", false},
    {"tta", "tta", false},
    {"tak", "tak", false},
    {"mpc", "musepack", false},
    {"mpc8", "musepack", false},
    {"oma", "oma", false},
    {"dsf", "dsf", false},
    {"voc", "voc", true},
    {"nistsphere", "sphere", true},
    {"ircam", "ircam", true},
    {"sox", "sox", true},
    {"shn", "shorten", true},
    {"qcp", "qcp", true},
};
// clang-format on

constexpr std::size_t kFirstProbeBytes = std::size_t{16} << 10;  // in most containers 2 KiB decide
constexpr std::size_t kMaxProbeBytes = std::size_t{1} << 20;     // FFmpeg's own bound
// Cover pictures make ID3 tags of megabytes, and the audio that tells an mp3 comes after them.
constexpr std::size_t kMaxTagBytes = std::size_t{16} << 20;

std::optional<Container> find_container(const AVInputFormat& format) {
  const std::string_view names = format.name;
  const std::string_view first = names.substr(0, names.find(','));
  const auto* found = std::find_if(std::begin(kContainers), std::end(kContainers),
                                   [&](const Container& c) { return c.ffmpeg_name == first; });
  if (found == std::end(kContainers)) return std::nullopt;
  return *found;
}

// The whole ID3v2 tag at the start, 0 where there is none. Source: id3.org, ID3v2.4 3.1 (28-bit
// size).
std::size_t id3_tag_bytes(std::span<const std::byte> head) {
  if (head.size() < 10 || std::memcmp(head.data(), "ID3", 3) != 0) return 0;
  std::size_t size = 0;
  for (std::size_t i = 6; i < 10; ++i) {
    size = (size << 7) | (std::to_integer<std::size_t>(head[i]) & 0x7F);
  }
  return size + 10;
}

void read_up_to(ByteStream& stream, std::size_t num_bytes, std::vector<std::byte>& head) {
  while (head.size() < num_bytes) {
    const std::size_t before = head.size();
    head.resize(num_bytes);
    const std::size_t count = stream.read(std::span(head).subspan(before));
    head.resize(before + count);
    if (count == 0) return;
  }
}

const AVInputFormat* probe(const std::vector<std::byte>& head, int min_score) {
  std::vector<unsigned char> padded(head.size() + AVPROBE_PADDING_SIZE, 0);
  std::memcpy(padded.data(), head.data(), head.size());
  AVProbeData data{};
  data.filename = "";  // no demuxer may decide by a name
  data.buf = padded.data();
  data.buf_size = static_cast<int>(head.size());
  return av_probe_input_format2(&data, 1, &min_score);
}

// "(12 KiB, starting with 89 50 4e 47)"
std::string describe(const ByteStream& stream, std::span<const std::byte> head) {
  std::vector<std::string> first_bytes;
  for (const std::byte byte : head.first(std::min<std::size_t>(head.size(), 8))) {
    first_bytes.push_back(fmt::format("{:02x}", std::to_integer<int>(byte)));
  }
  const auto size = stream.size_bytes();
  return fmt::format("({}starting with {})", size ? format_bytes(*size) + ", " : "",
                     fmt::join(first_bytes, " "));
}

}  // namespace

Sniffed sniff(ByteStream& stream, const std::string& name) {
  Sniffed sniffed;
  std::vector<std::byte>& head = sniffed.head;
  read_up_to(stream, kFirstProbeBytes, head);
  if (head.empty())
    throw Error(ErrorCode::kInvalidAudio, "audio: {}: the input is empty (0 bytes)", name);

  sniffed.tag_bytes = id3_tag_bytes(head);
  const std::size_t max_bytes = kMaxProbeBytes + std::min(sniffed.tag_bytes, kMaxTagBytes);
  for (std::size_t target = kFirstProbeBytes; sniffed.format == nullptr; target *= 2) {
    read_up_to(stream, std::min(target, max_bytes), head);
    const bool last = head.size() < target || target >= max_bytes;
    sniffed.format = probe(head, last ? 0 : AVPROBE_SCORE_RETRY);
    if (last) break;
  }
  if (sniffed.format == nullptr) {
    throw Error(
        ErrorCode::kInvalidAudio,
        "audio: {}: not an audio or video format that is known {}; is it a recording, and whole?",
        name, describe(stream, head));
  }
  const auto container = find_container(*sniffed.format);
  if (!container) {
    throw Error(
        ErrorCode::kInvalidAudio,
        "audio: {}: looks like '{}' ({}), which is not read as audio {}; convert it to wav, "
        "flac, mp3, m4a, ogg or webm",
        name, sniffed.format->name, sniffed.format->long_name, describe(stream, head));
  }
  sniffed.container = *container;
  return sniffed;
}

}  // namespace steno::audio
