#include "audio/ffmpeg/demuxer.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "audio/ffmpeg/containers.h"
#include "audio/ffmpeg/messages.h"
#include "audio/spool.h"
#include "audio/xing.h"
#include "base/error.h"
#include "base/utf8.h"

extern "C" {
#include <libavutil/dict.h>
#include <libavutil/mem.h>
}

namespace steno::audio {
namespace {

// A demuxer that fails this often without a packet in between is not going on.
constexpr int kMaxConsecutiveErrors = 16;

// FFmpeg's parsers gather everything up to the next frame, which in a file padded with zeros is its
// end. The index of a day of 60 frames a second takes half of this.
constexpr std::size_t kMaxLibraryBlockBytes = std::size_t{256} << 20;

void limit_library_memory() {
  static std::once_flag once;
  std::call_once(once, [] { av_max_alloc(kMaxLibraryBlockBytes); });
}

// FFmpeg may open nothing by name: not the parts of a playlist, not a reference inside an mp4.
int refuse_to_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EACCES);
}

// Every audio decoder and no other: looking for stream parameters would run video decoders too, for
// nothing.
const std::string& audio_decoder_names() {
  static const std::string names = [] {
    std::string list;
    void* position = nullptr;
    while (const AVCodec* codec = av_codec_iterate(&position)) {
      if (codec->type != AVMEDIA_TYPE_AUDIO || av_codec_is_decoder(codec) == 0) continue;
      list += list.empty() ? "" : ",";
      list += codec->name;
    }
    return list;
  }();
  return names;
}

std::unique_ptr<ByteStream> rewound(std::unique_ptr<ByteStream> stream, const Sniffed& sniffed,
                                    std::int64_t max_spool_bytes, const std::string& name) {
  if (stream->size_bytes()) {
    stream->seek(0);
    return stream;
  }
  if (!sniffed.container.streams) return spool(sniffed.head, *stream, max_spool_bytes, name);
  return prepend(sniffed.head, std::move(stream));
}

std::string tag_of(const AVStream& stream, const char* key) {
  const AVDictionaryEntry* entry = av_dict_get(stream.metadata, key, nullptr, 0);
  return entry == nullptr ? "" : utf8::replace_invalid(entry->value);
}

bool is_audio(const AVStream& stream) {
  return stream.codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
}

std::vector<const AVStream*> audio_streams(const AVFormatContext& format) {
  std::vector<const AVStream*> found;
  for (unsigned i = 0; i < format.nb_streams; ++i) {
    if (is_audio(*format.streams[i])) found.push_back(format.streams[i]);
  }
  return found;
}

// "0: aac jpn, 1: aac eng"
std::string list_of(const std::vector<const AVStream*>& streams) {
  std::string list;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::string language = tag_of(*streams[i], "language");
    list += fmt::format("{}{}: {}{}{}", i == 0 ? "" : ", ", i,
                        avcodec_get_name(streams[i]->codecpar->codec_id),
                        language.empty() ? "" : " ", language);
  }
  return list;
}

std::size_t default_stream(const std::vector<const AVStream*>& streams) {
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if ((streams[i]->disposition & AV_DISPOSITION_DEFAULT) != 0) return i;
  }
  return 0;
}

std::size_t chosen_stream(const std::vector<const AVStream*>& streams, const DecodeOptions& options,
                          const std::string& name) {
  if (options.audio_stream) {
    const int wanted = *options.audio_stream;
    if (wanted >= 0 && wanted < static_cast<int>(streams.size())) return wanted;
    throw Error(ErrorCode::kInvalidValue, "audio: {}: there is no audio stream {}; there are {}",
                name, wanted, list_of(streams));
  }
  if (options.language.empty()) return default_stream(streams);
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (tag_of(*streams[i], "language") == options.language) return i;
  }
  for (std::size_t i = 0; options.same_language && i < streams.size(); ++i) {
    if (options.same_language(tag_of(*streams[i], "language"), options.language)) return i;
  }
  throw Error(ErrorCode::kInvalidValue, "audio: {}: no audio stream is tagged '{}'; there are {}",
              name, utf8::replace_invalid(options.language), list_of(streams));
}

// From the header of the stream itself: what FFmpeg worked out from bit rate and file size is no
// claim.
std::optional<double> claimed_duration_s(const AVFormatContext& format, const AVStream& stream) {
  if (format.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE) return std::nullopt;
  // With an empty edit in front, an mp4 stream's own duration is that of its media, not of its
  // presentation.
  const bool starts_late = stream.nb_frames > 0 && stream.start_time > 0;
  if (starts_late && format.nb_streams == 1 && format.duration > 0) {
    return static_cast<double>(format.duration) / AV_TIME_BASE;
  }
  if (stream.duration > 0) return static_cast<double>(stream.duration) * av_q2d(stream.time_base);
  if (format.nb_streams == 1 && format.duration > 0) {
    return static_cast<double>(format.duration) / AV_TIME_BASE;
  }
  return std::nullopt;
}

// Bytes of an mp3 beyond what its own tag counts.
std::int64_t inserted_bytes(const Sniffed& sniffed, std::int64_t size_bytes) {
  if (sniffed.tag_bytes >= sniffed.head.size()) return 0;
  const auto claimed = find_xing_bytes(std::span(sniffed.head).subspan(sniffed.tag_bytes));
  const std::int64_t found = size_bytes - static_cast<std::int64_t>(sniffed.tag_bytes);
  return claimed ? std::max<std::int64_t>(found - *claimed, 0) : 0;
}

}  // namespace

Demuxer::Demuxer(const Source& source, const DecodeOptions& options) : name_(source.name()) {
  limit_library_memory();
  capture_library_log();
  forget_library_message();
  open_format(source, options);
  choose_stream(options);
  describe_stream();
}

void Demuxer::open_format(const Source& source, const DecodeOptions& options) {
  auto stream = source.open();
  const Sniffed sniffed = sniff(*stream, name_);
  data_chunk_ = find_data_chunk(sniffed.head);
  info_.container = sniffed.container.name;
  stream = rewound(std::move(stream), sniffed, options.max_spool_bytes, name_);
  io_ = std::make_unique<ByteIo>(std::move(stream), options.cancelled, name_);

  if (info_.container == "mp3") num_inserted_bytes_ = inserted_bytes(sniffed, io_->size_bytes());

  AVFormatContext* format = avformat_alloc_context();
  if (format == nullptr) throw std::bad_alloc();
  format->pb = io_->context();
  format->io_open = refuse_to_open;
  format->flags |= AVFMT_FLAG_CUSTOM_IO;
  format->skip_estimate_duration_from_pts = 1;  // would read the end of the file for a guess

  AVDictionary* settings = nullptr;
  av_dict_set(&settings, "protocol_whitelist", "", 0);
  av_dict_set(&settings, "format_whitelist", sniffed.format->name, 0);
  av_dict_set(&settings, "codec_whitelist", audio_decoder_names().c_str(), 0);
  // Frees `format` on failure.
  int status = avformat_open_input(&format, "", sniffed.format, &settings);
  av_dict_free(&settings);
  format_.reset(status < 0 ? nullptr : format);
  if (status >= 0) status = avformat_find_stream_info(format_.get(), nullptr);
  io_->rethrow_stream_error();
  if (status < 0) {
    throw Error(ErrorCode::kInvalidAudio,
                "audio: {}: looks like {} but cannot be opened{}; is the file whole?", name_,
                info_.container, library_reason(status));
  }
}

void Demuxer::choose_stream(const DecodeOptions& options) {
  const auto streams = audio_streams(*format_);
  if (streams.empty()) throw_no_audio();
  const std::size_t chosen = chosen_stream(streams, options, name_);
  info_.audio_stream = static_cast<int>(chosen);
  info_.num_audio_streams = static_cast<int>(streams.size());
  info_.stream_index = streams[chosen]->index;
  for (unsigned i = 0; i < format_->nb_streams; ++i) {
    if (static_cast<int>(i) != info_.stream_index) format_->streams[i]->discard = AVDISCARD_ALL;
  }
}

void Demuxer::describe_stream() {
  const AVStream& chosen = stream();
  const AVCodecParameters& parameters = *chosen.codecpar;
  info_.codec = avcodec_get_name(parameters.codec_id);
  info_.language = tag_of(chosen, "language");
  info_.sample_rate_hz = parameters.sample_rate;
  info_.num_channels = parameters.ch_layout.nb_channels;
  info_.claimed_duration_s = claimed_duration_s(*format_, chosen);
  const double bytes_per_s = static_cast<double>(parameters.block_align) * parameters.sample_rate;
  if (data_chunk_ && av_get_exact_bits_per_sample(parameters.codec_id) > 0 && bytes_per_s > 0) {
    info_.claimed_duration_s = static_cast<double>(data_chunk_->claimed_bytes) / bytes_per_s;
  }
}

void Demuxer::throw_no_audio() const {
  std::map<std::string, int> found;
  for (unsigned i = 0; i < format_->nb_streams; ++i) {
    const AVCodecParameters& parameters = *format_->streams[i]->codecpar;
    const char* type = av_get_media_type_string(parameters.codec_type);
    ++found[fmt::format("{} {}", type == nullptr ? "unknown" : type,
                        avcodec_get_name(parameters.codec_id))];
  }
  std::vector<std::string> streams;
  for (const auto& [what, count] : found) streams.push_back(fmt::format("{} {}", count, what));
  throw Error(ErrorCode::kInvalidAudio,
              "audio: {}: no audio stream in this {} (found: {}); is the sound in another file?",
              name_, info_.container,
              streams.empty() ? "no stream at all" : fmt::format("{}", fmt::join(streams, ", ")));
}

std::optional<double> Demuxer::start_s() const {
  // The movie's own time begins at 0; fragments (no frames in the index) are cut from anywhere.
  if (info_.container == "mp4" && stream().nb_frames > 0) return 0.0;
  if (format_->start_time == AV_NOPTS_VALUE) return std::nullopt;
  return static_cast<double>(format_->start_time) / AV_TIME_BASE;
}

bool Demuxer::has_clock() const {
  constexpr std::string_view kElementary[] = {"mp3", "aac", "ac3", "eac3", "dts"};
  return std::find(std::begin(kElementary), std::end(kElementary), info_.container) ==
         std::end(kElementary);
}

bool Demuxer::read(AVPacket& packet) {
  for (int failures = 0; failures < kMaxConsecutiveErrors;) {
    av_packet_unref(&packet);
    const int status = av_read_frame(format_.get(), &packet);
    io_->rethrow_stream_error();
    if (status == AVERROR_EOF) return false;
    if (status < 0) {
      ++failures;
      ++num_errors_;
      continue;
    }
    if (packet.stream_index != info_.stream_index) continue;
    if (av_packet_get_side_data(&packet, AV_PKT_DATA_ENCRYPTION_INFO, nullptr) != nullptr) {
      throw Error(ErrorCode::kInvalidAudio,
                  "audio: {}: the audio is encrypted; remove the protection", name_);
    }
    return true;
  }
  return false;
}

bool Demuxer::seek(std::int64_t timestamp) {
  const int status =
      av_seek_frame(format_.get(), info_.stream_index, timestamp, AVSEEK_FLAG_BACKWARD);
  io_->rethrow_stream_error();
  return status >= 0;
}

bool Demuxer::can_seek() const {
  return (io_->context()->seekable & AVIO_SEEKABLE_NORMAL) != 0;
}

std::optional<std::string> Demuxer::truncation(double decoded_s) const {
  if (data_chunk_) {
    const std::int64_t found_bytes =
        std::max<std::int64_t>(io_->size_bytes() - data_chunk_->offset_bytes, 0);
    if (data_chunk_->claimed_bytes <= found_bytes) return std::nullopt;
    return fmt::format(
        "audio: {}: the 'data' chunk claims {} but the input has {} (cut off while uploading?); "
        "decoded the {:.1f} s that are there",
        name_, format_bytes(data_chunk_->claimed_bytes), format_bytes(found_bytes), decoded_s);
  }
  // Headers count whole packets and padding, so a small difference is no loss.
  const double tolerance_s = std::max(0.5, 0.01 * decoded_s);
  if (!info_.claimed_duration_s || *info_.claimed_duration_s <= decoded_s + tolerance_s) {
    return std::nullopt;
  }
  return fmt::format(
      "audio: {}: the {} claims {:.1f} s but {:.1f} s could be decoded (cut off while uploading?)",
      name_, info_.container, *info_.claimed_duration_s, decoded_s);
}

}  // namespace steno::audio
