#include "audio/ffmpeg/range_decoder.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <string_view>

#include "audio/ffmpeg/open_codec.h"
#include "audio/stereo_mix.h"

extern "C" {
#include <libavutil/samplefmt.h>
}

namespace steno::audio {
namespace {

// What is decoded before a range, so that the resampler's filter is filled with the same samples. A
// second is 90 times its length, and a whole number of the filter's phases at any rate.
constexpr std::int64_t kLeadIn_s = 1;

// libswresample keeps exact phases up to 1024 of them.
constexpr int kMaxPhases = 1024;

// The first samples of `frame` away; their buffer stays.
void drop_front(AVFrame& frame, int num_samples) {
  const auto format = static_cast<AVSampleFormat>(frame.format);
  const bool planar = av_sample_fmt_is_planar(format) != 0;
  const int num_planes = planar ? frame.ch_layout.nb_channels : 1;
  const int stride = av_get_bytes_per_sample(format) * (planar ? 1 : frame.ch_layout.nb_channels);
  for (int p = 0; p < num_planes; ++p) {
    frame.extended_data[p] += static_cast<std::ptrdiff_t>(num_samples) * stride;
  }
  frame.nb_samples -= num_samples;
}

ChannelPlan plan_of(const DecodeOptions& options, const AudioInfo& info) {
  ChannelPlan plan{.channel = options.channel};
  if (options.split) plan.num_split = info.num_channels;
  return plan;
}

}  // namespace

RangeDecoder::RangeDecoder(const Source& source, const DecodeOptions& options)
    : name_(source.name()),
      demuxer_(source, options),
      codec_(open_codec(demuxer_.stream(), name_)),
      packet_(av_packet_alloc()),
      frame_(av_frame_alloc()),
      plan_(plan_of(options, demuxer_.info())) {
  if (!packet_ || !frame_) throw std::bad_alloc();
}

bool RangeDecoder::has_ranges() const {
  const AudioInfo& i = info();
  const bool is_pcm = (i.container == "wav" || i.container == "w64") && i.codec.starts_with("pcm_");
  const bool is_flac = i.container == "flac" && i.codec == "flac";
  if (!(is_pcm || is_flac) || !demuxer_.can_seek() || !i.claimed_duration_s) return false;
  if (i.sample_rate_hz <= 0 || i.num_channels <= 0) return false;
  if (kSampleRate / std::gcd(kSampleRate, i.sample_rate_hz) > kMaxPhases) return false;
  // The blocks of a mix of two sides have to fit into a second.
  const bool mixes_sides = i.num_channels == 2 && !plan_.channel && !plan_.num_split;
  if (mixes_sides && i.sample_rate_hz % 100 != 0) return false;
  const AVStream& stream = demuxer_.stream();
  const bool starts_at_0 = stream.start_time == 0 || stream.start_time == AV_NOPTS_VALUE;
  return starts_at_0 && stream.time_base.num == 1 && stream.time_base.den == i.sample_rate_hz;
}

RangeDecoder::Step RangeDecoder::next_frame() {
  while (true) {
    const int status = avcodec_receive_frame(codec_.get(), frame_.get());
    if (status == AVERROR_EOF) return Step::kEnd;
    if (status == 0) {
      if (frame_->decode_error_flags != 0) return Step::kOdd;
      if (frame_->nb_samples > 0) return Step::kFrame;
      continue;
    }
    if (status != AVERROR(EAGAIN)) return Step::kOdd;
    const bool more = demuxer_.read(*packet_);
    if (demuxer_.num_errors() > 0) return Step::kOdd;
    if (avcodec_send_packet(codec_.get(), more ? packet_.get() : nullptr) < 0) return Step::kOdd;
  }
}

// Cuts off what lies before `begin`; false where the frame does not continue the last one.
bool RangeDecoder::place_frame(std::int64_t begin) {
  const std::int64_t pts = frame_->best_effort_timestamp;
  if (pts == AV_NOPTS_VALUE || pts != next_pts_.value_or(pts)) return false;
  if (!next_pts_ && pts > begin) return false;
  next_pts_ = pts + frame_->nb_samples;
  if (pts < begin) {
    drop_front(*frame_, static_cast<int>(std::min<std::int64_t>(begin - pts, frame_->nb_samples)));
  }
  return true;
}

// Whether an input that ends at sample `end` has what its header claims.
bool RangeDecoder::is_whole(std::int64_t end) const {
  const double claimed = *info().claimed_duration_s * info().sample_rate_hz;
  return std::llround(claimed) == end;
}

std::optional<Planes> RangeDecoder::decode(std::int64_t begin_s, std::int64_t end_s) {
  const std::int64_t first_s = std::max<std::int64_t>(begin_s - kLeadIn_s, 0);
  const std::int64_t first = first_s * info().sample_rate_hz;
  if (is_read_ || first > 0) {
    if (!demuxer_.seek(first)) return std::nullopt;
    avcodec_flush_buffers(codec_.get());
  }
  is_read_ = true;
  next_pts_.reset();

  const auto lead_in = static_cast<std::size_t>((begin_s - first_s) * kSampleRate);
  const auto wanted = static_cast<std::size_t>((end_s - first_s) * kSampleRate);
  Planes planes(static_cast<std::size_t>(num_outputs()));
  std::optional<ToPcm> to_pcm;
  while (planes.front().size() < wanted) {
    const Step step = next_frame();
    if (step == Step::kOdd) return std::nullopt;
    if (step == Step::kEnd) {
      if (!to_pcm || !is_whole(*next_pts_)) return std::nullopt;
      to_pcm->drain(planes);
      break;
    }
    if (!place_frame(first)) return std::nullopt;
    if (frame_->nb_samples == 0) continue;
    if (!to_pcm) to_pcm.emplace(*frame_, plan_, name_);
    if (!to_pcm->takes(*frame_)) return std::nullopt;
    to_pcm->push(*frame_, planes);
  }
  if (to_pcm && to_pcm->num_non_finite() > 0) return std::nullopt;
  // With a margin: what lies before the lead-in fades in the decision, but is not quite gone.
  if (to_pcm && to_pcm->least_kept() < StereoMix::kCancelledNoMore) return std::nullopt;
  for (std::vector<float>& plane : planes) {
    plane.resize(std::min(plane.size(), wanted));
    const std::size_t dropped = std::min(lead_in, plane.size());
    plane.erase(plane.begin(), plane.begin() + static_cast<std::ptrdiff_t>(dropped));
  }
  return planes;
}

}  // namespace steno::audio
