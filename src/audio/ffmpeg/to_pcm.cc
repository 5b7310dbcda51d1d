#include "audio/ffmpeg/to_pcm.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <span>
#include <utility>

#include "audio/ffmpeg/messages.h"
#include "audio/pcm.h"
#include "base/check.h"
#include "base/error.h"

extern "C" {
#include <libavutil/opt.h>
#include <libavutil/samplefmt.h>
}

namespace steno::audio {
namespace {

// Below it speech is not speech, and a small file would become days of samples.
constexpr int kMinRate = 1000;
constexpr int kMaxRate = 768000;  // the highest that converters are sold for
constexpr int kMaxChannels = 64;  // libswresample's own bound

// DIFFERS: with FFmpeg's default of 32, a tone at 7.5 kHz loses 2.9 dB and one at 8.5 kHz comes
// back as 7.5 kHz at -26 dB; with 64 it is 1.2 dB and -91 dB (measured from 48 kHz). The cost is
// far below that of decoding.
constexpr int kFilterTaps = 64;
constexpr double kCutoff = 0.97;

// A sample beyond it is damage (full scale is 1; integers stored as float stay far below).
constexpr double kMaxMagnitude = 1e10;

void check_kind(const AVFrame& kind, const std::string& name) {
  if (kind.sample_rate < kMinRate || kind.sample_rate > kMaxRate) {
    throw Error(ErrorCode::kInvalidAudio,
                "audio: {}: a sample rate of {} Hz; expected {} to {}; is the header damaged?",
                name, kind.sample_rate, kMinRate, kMaxRate);
  }
  if (kind.ch_layout.nb_channels < 1 || kind.ch_layout.nb_channels > kMaxChannels) {
    throw Error(ErrorCode::kInvalidAudio,
                "audio: {}: {} channels; expected 1 to {}; is the header damaged?", name,
                kind.ch_layout.nb_channels, kMaxChannels);
  }
}

// Weights of the channels, their sum at most 1: FFmpeg's own mix where it knows the places of the
// speakers (stereo: the mean), the mean of all where it does not.
std::vector<double> mix_weights(const AVChannelLayout& layout) {
  const auto count = static_cast<std::size_t>(layout.nb_channels);
  const AVChannelLayout mono = AV_CHANNEL_LAYOUT_MONO;
  // TRAP: FFmpeg 5.1 scales all 64 x 64 places of the matrix, however few the channels are.
  std::vector<double> matrix(std::size_t{kMaxChannels} * kMaxChannels, 0.0);
  const bool known_places =
      layout.order == AV_CHANNEL_ORDER_NATIVE &&
      swr_build_matrix2(&layout, &mono, M_SQRT1_2, M_SQRT1_2, /*lfe=*/0, /*maxval=*/1.0,
                        /*volume=*/1.0, matrix.data(), kMaxChannels, AV_MATRIX_ENCODING_NONE,
                        nullptr) >= 0;
  if (!known_places) std::fill(matrix.begin(), matrix.end(), 1.0 / static_cast<double>(count));
  matrix.resize(count);
  return matrix;
}

// One row of weights for each output.
std::vector<double> plan_weights(const AVChannelLayout& layout, const ChannelPlan& plan,
                                 const std::string& name) {
  if (!plan.channel && !plan.num_split) return mix_weights(layout);
  if (plan.channel && (*plan.channel < 0 || *plan.channel >= layout.nb_channels)) {
    throw Error(ErrorCode::kInvalidValue,
                "audio: {}: there is no channel {}; the audio has {}, counted from 0", name,
                *plan.channel, layout.nb_channels);
  }
  const int num_outputs = plan.num_outputs();
  std::vector<double> weights(
      static_cast<std::size_t>(num_outputs) * static_cast<std::size_t>(layout.nb_channels), 0.0);
  for (int output = 0; output < num_outputs; ++output) {
    const int channel = plan.channel.value_or(std::min(output, layout.nb_channels - 1));
    weights[static_cast<std::size_t>(output * layout.nb_channels + channel)] = 1.0;
  }
  return weights;
}

struct Converter {
  int num_in = 1;
  AVSampleFormat in_format = AV_SAMPLE_FMT_FLTP;
  int in_rate_hz = kSampleRate;
  int num_out = 1;
  int out_rate_hz = kSampleRate;
};

// The weights say it all, and odd layouts are accepted too.
AVChannelLayout unnamed_layout(int num_channels) {
  AVChannelLayout layout{};
  layout.order = AV_CHANNEL_ORDER_UNSPEC;
  layout.nb_channels = num_channels;
  return layout;
}

// Without weights output i is channel i.
ResamplerHandle make_resampler(const Converter& kind, const std::vector<double>& weights,
                               const std::string& name) {
  AVChannelLayout in = unnamed_layout(kind.num_in);
  AVChannelLayout out = unnamed_layout(kind.num_out);
  SwrContext* context = nullptr;
  int status = swr_alloc_set_opts2(&context, &out, AV_SAMPLE_FMT_FLTP, kind.out_rate_hz, &in,
                                   kind.in_format, kind.in_rate_hz, 0, nullptr);
  ResamplerHandle resampler(context);
  if (status >= 0) {
    av_opt_set_sample_fmt(context, "internal_sample_fmt", AV_SAMPLE_FMT_FLTP, 0);
    av_opt_set_int(context, "filter_size", kFilterTaps, 0);
    av_opt_set_double(context, "cutoff", kCutoff, 0);
    if (weights.size() > 1) status = swr_set_matrix(context, weights.data(), kind.num_in);
  }
  if (status >= 0) status = swr_init(context);
  if (status < 0) {
    const ErrorCode code =
        status == AVERROR(ENOMEM) ? ErrorCode::kUnavailable : ErrorCode::kInvalidAudio;
    throw Error(code, "audio: {}: {} Hz with {} channels cannot be resampled{}", name,
                kind.in_rate_hz, kind.num_in, library_reason(status));
  }
  return resampler;
}

template <typename Float>
bool is_damaged(Float sample) {
  return !(std::abs(sample) <= static_cast<Float>(kMaxMagnitude));  // true for NaN
}

// Two passes, so that sound input is neither copied nor written.
template <typename Float>
std::int64_t clean_planes(AVFrame& frame) {
  const bool planar = av_sample_fmt_is_planar(static_cast<AVSampleFormat>(frame.format)) != 0;
  const int num_planes = planar ? frame.ch_layout.nb_channels : 1;
  const auto plane_size = static_cast<std::size_t>(frame.nb_samples) *
                          static_cast<std::size_t>(planar ? 1 : frame.ch_layout.nb_channels);
  std::int64_t damaged = 0;
  for (int p = 0; p < num_planes; ++p) {
    const std::span plane(reinterpret_cast<const Float*>(frame.extended_data[p]), plane_size);
    damaged += std::count_if(plane.begin(), plane.end(), is_damaged<Float>);
  }
  if (damaged == 0) return 0;
  if (av_frame_make_writable(&frame) < 0) throw std::bad_alloc();
  for (int p = 0; p < num_planes; ++p) {
    const std::span plane(reinterpret_cast<Float*>(frame.extended_data[p]), plane_size);
    std::replace_if(plane.begin(), plane.end(), is_damaged<Float>, Float{0});
  }
  return damaged;
}

std::int64_t clean(AVFrame& frame) {
  switch (av_get_packed_sample_fmt(static_cast<AVSampleFormat>(frame.format))) {
    case AV_SAMPLE_FMT_FLT:
      return clean_planes<float>(frame);
    case AV_SAMPLE_FMT_DBL:
      return clean_planes<double>(frame);
    default:
      return 0;
  }
}

}  // namespace

ToPcm::ToPcm(const AVFrame& kind, const ChannelPlan& plan, const std::string& name)
    : format_(static_cast<AVSampleFormat>(kind.format)),
      rate_hz_(kind.sample_rate),
      num_channels_(kind.ch_layout.nb_channels) {
  check_kind(kind, name);
  std::vector<double> weights = plan_weights(kind.ch_layout, plan, name);
  Converter resampling{num_channels_, format_, rate_hz_, plan.num_outputs(), kSampleRate};
  const bool is_mix = !plan.channel && !plan.num_split;
  if (is_mix && weights == std::vector<double>{0.5, 0.5}) {
    if (format_ != AV_SAMPLE_FMT_FLTP) {
      to_float_ = make_resampler({2, format_, rate_hz_, 2, rate_hz_}, {}, name);
    }
    stereo_mix_.emplace(rate_hz_);
    sides_.resize(2);
    resampling.num_in = 1;
    resampling.in_format = AV_SAMPLE_FMT_FLTP;
    weights.clear();
  }
  resampler_ = make_resampler(resampling, weights, name);
}

bool ToPcm::takes(const AVFrame& frame) const {
  return frame.format == format_ && frame.sample_rate == rate_hz_ &&
         frame.ch_layout.nb_channels == num_channels_;
}

double ToPcm::left_alone_s() const {
  return stereo_mix_ ? static_cast<double>(stereo_mix_->num_left_alone()) / rate_hz_ : 0.0;
}

void ToPcm::mix_sides(const AVFrame& frame) {
  const auto count = static_cast<std::size_t>(frame.nb_samples);
  if (!to_float_) {
    const auto* left = reinterpret_cast<const float*>(frame.extended_data[0]);
    const auto* right = reinterpret_cast<const float*>(frame.extended_data[1]);
    return stereo_mix_->push({left, count}, {right, count}, mixed_);
  }
  for (std::vector<float>& side : sides_) side.resize(count);
  std::uint8_t* to[] = {reinterpret_cast<std::uint8_t*>(sides_[0].data()),
                        reinterpret_cast<std::uint8_t*>(sides_[1].data())};
  const int converted =
      swr_convert(to_float_.get(), to, frame.nb_samples,
                  const_cast<const std::uint8_t**>(frame.extended_data), frame.nb_samples);
  if (converted < 0) throw std::bad_alloc();  // the only way it fails on samples
  STENO_CHECK(converted == frame.nb_samples, "{} of {} samples", converted, frame.nb_samples);
  stereo_mix_->push(sides_[0], sides_[1], mixed_);
}

// Appends to each plane; without `samples`, of what the filter kept.
void ToPcm::resample(const std::uint8_t* const* samples, int count, Planes& out) {
  constexpr int kDrainBlock = 4096;
  const int room = samples == nullptr ? kDrainBlock : swr_get_out_samples(resampler_.get(), count);
  STENO_CHECK(room >= 0, "swr_get_out_samples: {}", room);
  const std::size_t before = out.front().size();
  std::vector<std::uint8_t*> to;
  for (std::vector<float>& plane : out) {
    plane.resize(before + static_cast<std::size_t>(room));
    to.push_back(reinterpret_cast<std::uint8_t*>(plane.data() + before));
  }
  const int num_out = swr_convert(resampler_.get(), to.data(), room,
                                  const_cast<const std::uint8_t**>(samples), count);
  if (num_out < 0) throw std::bad_alloc();  // the only way it fails on samples
  for (std::vector<float>& plane : out) plane.resize(before + static_cast<std::size_t>(num_out));
  num_out_ += num_out;
}

void ToPcm::push_mixed(Planes& out) {
  const std::uint8_t* mixed[] = {reinterpret_cast<const std::uint8_t*>(mixed_.data())};
  resample(mixed, static_cast<int>(mixed_.size()), out);
  mixed_.clear();
}

void ToPcm::push(AVFrame& frame, Planes& out) {
  STENO_CHECK(takes(frame));
  num_non_finite_ += clean(frame);
  num_in_ += frame.nb_samples;
  if (!stereo_mix_) return resample(frame.extended_data, frame.nb_samples, out);
  mix_sides(frame);
  push_mixed(out);
}

void ToPcm::drain(Planes& out) {
  if (stereo_mix_) {
    stereo_mix_->flush(mixed_);
    push_mixed(out);
  }
  const std::int64_t wanted = (num_in_ * kSampleRate * 2 + rate_hz_) / (2 * std::int64_t{rate_hz_});
  const auto end =
      out.front().size() + static_cast<std::size_t>(std::max<std::int64_t>(wanted - num_out_, 0));
  std::int64_t before = -1;
  while (std::exchange(before, num_out_) != num_out_) resample(nullptr, 0, out);
  for (std::vector<float>& plane : out) plane.resize(end, 0.0F);
  num_out_ = std::max(num_out_, wanted);
}

}  // namespace steno::audio
