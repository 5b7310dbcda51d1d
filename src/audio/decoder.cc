#include "audio/decoder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <string_view>
#include <utility>

#include "audio/ffmpeg/demuxer.h"
#include "audio/ffmpeg/handles.h"
#include "audio/ffmpeg/messages.h"
#include "audio/ffmpeg/open_codec.h"
#include "audio/ffmpeg/to_pcm.h"
#include "audio/timeline.h"
#include "base/check.h"
#include "base/error.h"

namespace steno::audio {
namespace {

constexpr std::size_t kMaxMissingRanges = 4096;

Planes decode_planes(const Source& source, const DecodeOptions& options) {
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  Decoder decoder = Decoder::open(source, options);
  Planes planes(static_cast<std::size_t>(decoder.num_outputs()));
  std::vector<std::span<float>> outs(planes.size());
  std::size_t count = kBlock;
  while (count == kBlock) {
    const std::size_t before = planes.front().size();
    for (std::size_t i = 0; i < planes.size(); ++i) {
      planes[i].resize(before + kBlock);
      outs[i] = std::span(planes[i]).subspan(before);
    }
    count = decoder.read_channels(outs);
    for (std::vector<float>& plane : planes) plane.resize(before + count);
  }
  return planes;
}

}  // namespace

struct Decoder::State {
  State(const Source& source, const DecodeOptions& decode_options)
      : name(source.name()),
        options(decode_options),
        demuxer(source, options),
        codec(open_codec(demuxer.stream(), name)),
        packet(av_packet_alloc()),
        frame(av_frame_alloc()),
        timeline(demuxer.start_s()),
        info(demuxer.info()) {
    num_inserted_bytes = demuxer.num_inserted_bytes();
    if (!packet || !frame) throw std::bad_alloc();
  }

  void prime();
  void advance();
  bool next_frame();
  void feed();
  void lose_packet(int status);
  double uncounted_loss_s();
  void place_frame();
  void hold_back_padding();
  void drop_padding();
  void end_segment();
  void finish();
  void begin_segment();
  void count_channels();
  void mark_missing(std::int64_t num_samples);
  void degrade(std::string warning);
  void throw_if_cancelled() const;
  void take_ready(std::span<const std::span<float>> outs, std::size_t offset, std::size_t count);

  int num_outputs() const { return static_cast<int>(ready.size()); }
  std::size_t num_ready() const {
    const std::size_t count = ready.front().size() - ready_begin;
    return count - std::min(held_back, count);
  }

  std::string name;
  DecodeOptions options;
  Demuxer demuxer;
  CodecHandle codec;
  PacketHandle packet;
  FrameHandle frame;
  Timeline timeline;
  AudioInfo info;
  DecodeReport report;

  std::optional<ToPcm> segment;   // frames of one kind without a gap between them
  std::int64_t silence_left = 0;  // put out once `ready` is empty, before `frame`
  bool frame_waits = false;       // `frame` comes after that silence
  Planes ready = Planes(1);
  std::size_t ready_begin = 0;
  std::size_t held_back = 0;  // the last of `ready`: padding if no frame follows
  bool after_loss = false;
  std::int64_t num_good_bytes = 0;
  std::int64_t num_inserted_bytes = 0;
  bool ended = false;
  std::int64_t num_non_finite = 0;
  double left_alone_s = 0;
  int max_channels = 0;
};

void Decoder::State::prime() {
  if (options.split) ready.resize(static_cast<std::size_t>(std::max(info.num_channels, 1)));
  while (!ended && num_ready() == 0 && silence_left == 0) advance();
  if (report.covered_s == 0 && report.decode_errors > 0 && ended) {
    throw Error(
        ErrorCode::kInvalidAudio,
        "audio: {}: nothing of the {} stream could be decoded (broken packets: {}){}; is this file "
        "really a recording?",
        name, info.codec, report.decode_errors, library_reason());
  }
}

// One step: some samples become ready, or the end is reached.
void Decoder::State::advance() {
  for (std::vector<float>& plane : ready) {
    plane.erase(plane.begin(), plane.begin() + static_cast<std::ptrdiff_t>(ready_begin));
  }
  ready_begin = 0;
  throw_if_cancelled();
  if (!frame_waits) {
    if (!next_frame()) return finish();
    count_channels();
    held_back = 0;
    place_frame();
    if (frame_waits) return;
  }
  frame_waits = false;
  if (!segment) begin_segment();
  const double num_samples =
      static_cast<double>(frame->nb_samples) * kSampleRate / frame->sample_rate;
  timeline.advance(num_samples);
  report.covered_s += num_samples / kSampleRate;
  segment->push(*frame, ready);
  hold_back_padding();
}

// The first frame knows the number of channels better than the header does (AAC with parametric
// stereo).
void Decoder::State::count_channels() {
  const int count = std::max(frame->ch_layout.nb_channels, 1);
  if (options.split && max_channels == 0) ready.resize(static_cast<std::size_t>(count));
  max_channels = std::max(max_channels, count);
}

// An mp4 says in its edit list how long its audio is; the last AAC frame goes beyond. FFmpeg plays
// that padding.
void Decoder::State::hold_back_padding() {
  if (info.container != "mp4" || !info.claimed_duration_s) return;
  const double beyond_s = timeline.position_s() - *info.claimed_duration_s;
  const double frame_s = static_cast<double>(frame->nb_samples) / frame->sample_rate;
  if (beyond_s > 0 && beyond_s < frame_s) {
    held_back = static_cast<std::size_t>(std::llround(beyond_s * kSampleRate));
  }
}

void Decoder::State::drop_padding() {
  const std::size_t kept = ready.front().size() - std::min(held_back, ready.front().size());
  for (std::vector<float>& plane : ready) plane.resize(kept);
  report.covered_s -= static_cast<double>(std::exchange(held_back, 0)) / kSampleRate;
}

// Decodes until `frame` holds samples; false at the end.
bool Decoder::State::next_frame() {
  while (true) {
    const int status = avcodec_receive_frame(codec.get(), frame.get());
    if (status == AVERROR_EOF) return false;
    if (status == AVERROR(EAGAIN)) {
      feed();
      continue;
    }
    if (status < 0) {
      lose_packet(status);
      continue;
    }
    if (frame->decode_error_flags != 0) lose_packet(AVERROR_INVALIDDATA);
    if (frame->nb_samples > 0) return true;
  }
}

void Decoder::State::feed() {
  const bool more = demuxer.read(*packet);
  const int status = avcodec_send_packet(codec.get(), more ? packet.get() : nullptr);
  if (status < 0 && status != AVERROR_EOF) {
    lose_packet(status);
  } else if (more) {
    num_good_bytes += packet->size;
  }
}

void Decoder::State::lose_packet(int status) {
  // "No memory" too: a packet that wants more than FFmpeg may take at once is damaged.
  if (options.strict) {
    throw Error(ErrorCode::kInvalidAudio, "audio: {}: a broken packet after {:.2f} s{}", name,
                report.covered_s, library_reason(status));
  }
  ++report.decode_errors;
  after_loss = true;
  if (!demuxer.has_clock() && report.covered_s > 0) timeline.lose(uncounted_loss_s());
}

// Without a clock the packets are counted: whatever lies between two good ones is one packet, and
// counts as one. Damage rarely changes the length of a file, so the time that is really lost
// follows from its bytes. Not so for a tag between two joined files.
double Decoder::State::uncounted_loss_s() {
  constexpr double kMaxLoss_s = 10;
  if (num_good_bytes == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(packet->data),
                               static_cast<std::size_t>(packet->size));
  for (const std::string_view tag : {"ID3", "APETAGEX", "TAG"}) {
    if (bytes.find(tag) != std::string_view::npos) return 0;
  }
  const std::int64_t inserted = std::min<std::int64_t>(packet->size, num_inserted_bytes);
  num_inserted_bytes -= inserted;
  const double bytes_per_s = static_cast<double>(num_good_bytes) / report.covered_s;
  const double lost_s =
      std::min(static_cast<double>(packet->size - inserted) / bytes_per_s, kMaxLoss_s);
  const double counted_s = static_cast<double>(packet->duration) * av_q2d(codec->pkt_timebase);
  return lost_s - counted_s;
}

// Ends the segment where `frame` does not continue it, and puts silence before the frame where time
// is missing.
void Decoder::State::place_frame() {
  if (segment && !segment->takes(*frame)) end_segment();
  const std::int64_t pts = frame->best_effort_timestamp;
  const auto pts_s = pts == AV_NOPTS_VALUE
                         ? std::nullopt
                         : std::optional(static_cast<double>(pts) * av_q2d(codec->pkt_timebase));
  const double missing_before_s = timeline.gap_sum_s();
  silence_left = timeline.gap_before(pts_s, std::exchange(after_loss, false));
  if (silence_left == 0) return;
  if (timeline.gap_sum_s() > missing_before_s) mark_missing(silence_left);
  end_segment();
  timeline.advance(static_cast<double>(silence_left));
  frame_waits = true;
}

void Decoder::State::mark_missing(std::int64_t num_samples) {
  if (options.strict) {
    throw Error(ErrorCode::kInvalidAudio,
                "audio: {}: {:.2f} s are missing at {:.2f} s (lost, or not recorded)", name,
                static_cast<double>(num_samples) / kSampleRate, timeline.position_s());
  }
  const std::int64_t begin = std::llround(timeline.position_s() * kSampleRate);
  if (report.missing.size() < kMaxMissingRanges) report.missing.push_back({begin, begin});
  report.missing.back().end_samples = begin + num_samples;
}

// What makes the result less than the whole recording: a failure where the caller wants no less.
void Decoder::State::degrade(std::string warning) {
  if (options.strict) throw Error(ErrorCode::kInvalidAudio, warning);
  report.warnings.push_back(std::move(warning));
}

void Decoder::State::begin_segment() {
  const auto num_split = options.split ? std::optional(num_outputs()) : std::nullopt;
  segment.emplace(*frame, ChannelPlan{options.channel, num_split}, name);
}

void Decoder::State::end_segment() {
  if (!segment) return;
  segment->drain(ready);
  num_non_finite += segment->num_non_finite();
  left_alone_s += segment->left_alone_s();
  segment.reset();
}

void Decoder::State::finish() {
  ended = true;
  end_segment();
  drop_padding();
  if (auto truncation = demuxer.truncation(timeline.position_s())) degrade(*std::move(truncation));
  report.decode_errors += demuxer.num_errors();
  if (report.decode_errors > 0) {
    degrade(fmt::format("audio: {}: broken packets passed over: {}{}", name, report.decode_errors,
                        library_reason()));
  }
  if (num_non_finite > 0) {
    degrade(fmt::format("audio: {}: {} samples were not finite numbers and count as silence", name,
                        num_non_finite));
  }
  if (timeline.gap_sum_s() > 0) {
    degrade(fmt::format(
        "audio: {}: {:.2f} s are missing (lost, or not recorded); silence stands for them", name,
        timeline.gap_sum_s()));
  }
  if (timeline.num_jumps() > 0) {
    degrade(
        fmt::format("audio: {}: the clock of the container jumps {} times; times after a jump "
                    "count on without it",
                    name, timeline.num_jumps()));
  }
  if (options.split && max_channels > num_outputs()) {
    degrade(
        fmt::format("audio: {}: there are {} channels at first and {} later; those past the "
                    "first {} were left out",
                    name, num_outputs(), max_channels, num_outputs()));
  }
  if (left_alone_s > 0) {
    report.warnings.push_back(fmt::format(
        "audio: {}: the two channels cancel each other (one is inverted?); for {:.2f} s "
        "the left one alone was taken",
        name, left_alone_s));
  }
}

void Decoder::State::throw_if_cancelled() const {
  if (options.cancelled && options.cancelled()) {
    throw Error(ErrorCode::kUnavailable, "audio: {}: cancelled", name);
  }
}

void Decoder::State::take_ready(std::span<const std::span<float>> outs, std::size_t offset,
                                std::size_t count) {
  for (std::size_t i = 0; i < outs.size(); ++i) {
    std::ranges::copy(std::span(ready[i]).subspan(ready_begin, count),
                      outs[i].begin() + static_cast<std::ptrdiff_t>(offset));
  }
  ready_begin += count;
}

Decoder::Decoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Decoder::~Decoder() = default;
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;

Decoder Decoder::open(const Source& source, const DecodeOptions& options) {
  if (options.split && options.channel) {
    throw Error(ErrorCode::kUsage, "audio: {}: one channel and every channel at once",
                source.name());
  }
  auto state = std::make_unique<State>(source, options);
  state->prime();
  return Decoder(std::move(state));
}

int Decoder::num_outputs() const {
  return state_->num_outputs();
}

std::size_t Decoder::read(std::span<float> out) {
  return read_channels(std::span(&out, 1));
}

std::size_t Decoder::read_channels(std::span<const std::span<float>> outs) {
  State& s = *state_;
  STENO_CHECK(std::ssize(outs) == s.num_outputs(), "{} spans for {} outputs", outs.size(),
              s.num_outputs());
  const std::size_t size = outs.front().size();
  for (const std::span<float> out : outs) STENO_CHECK(out.size() == size);
  std::size_t count = 0;
  while (count < size) {
    if (const std::size_t ready = std::min(size - count, s.num_ready()); ready > 0) {
      s.take_ready(outs, count, ready);
      count += ready;
    } else if (s.silence_left > 0) {
      const auto silence = std::min(size - count, static_cast<std::size_t>(s.silence_left));
      for (const std::span<float> out : outs) std::ranges::fill(out.subspan(count, silence), 0.0F);
      s.silence_left -= static_cast<std::int64_t>(silence);
      count += silence;
    } else if (!s.ended) {
      s.advance();
    } else {
      break;
    }
  }
  s.report.num_samples += static_cast<std::int64_t>(count);
  return count;
}

const AudioInfo& Decoder::info() const {
  return state_->info;
}

const DecodeReport& Decoder::report() const {
  return state_->report;
}

std::vector<float> decode_all(const Source& source, const DecodeOptions& options) {
  STENO_CHECK(!options.split, "split_all gives the outputs");
  return decode_planes(source, options).front();
}

std::vector<std::vector<float>> split_all(const Source& source, DecodeOptions options) {
  options.split = true;
  return decode_planes(source, options);
}

}  // namespace steno::audio
