// FFmpeg's objects as values that free themselves. Private to the room.
#pragma once

extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libswresample/swresample.h>
}

#include <memory>

namespace steno::audio {

struct FreeFormat {
  void operator()(AVFormatContext* format) const { avformat_close_input(&format); }
};
struct FreeCodec {
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
};
struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
struct FreeFrame {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
struct FreeResampler {
  void operator()(SwrContext* resampler) const { swr_free(&resampler); }
};

using FormatHandle = std::unique_ptr<AVFormatContext, FreeFormat>;
using CodecHandle = std::unique_ptr<AVCodecContext, FreeCodec>;
using PacketHandle = std::unique_ptr<AVPacket, FreePacket>;
using FrameHandle = std::unique_ptr<AVFrame, FreeFrame>;
using ResamplerHandle = std::unique_ptr<SwrContext, FreeResampler>;

}  // namespace steno::audio
