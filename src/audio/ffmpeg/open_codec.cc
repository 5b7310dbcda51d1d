#include "audio/ffmpeg/open_codec.h"

#include <cstdint>
#include <new>

#include "audio/ffmpeg/messages.h"
#include "base/error.h"

namespace steno::audio {
namespace {

// The longest frame a codec may give: Monkey's Audio goes up to 1.2 million samples.
constexpr std::int64_t kMaxFrameSamples = std::int64_t{1} << 22;

}  // namespace

CodecHandle open_codec(const AVStream& stream, const std::string& name) {
  const char* codec_name = avcodec_get_name(stream.codecpar->codec_id);
  const AVCodec* codec = avcodec_find_decoder(stream.codecpar->codec_id);
  if (codec == nullptr) {
    throw Error(
        ErrorCode::kInvalidAudio,
        "audio: {}: no decoder for the codec '{}'; convert it to wav, flac, mp3, m4a or ogg", name,
        codec_name);
  }
  CodecHandle context(avcodec_alloc_context3(codec));
  if (!context || avcodec_parameters_to_context(context.get(), stream.codecpar) < 0) {
    throw std::bad_alloc();
  }
  context->pkt_timebase = stream.time_base;
  // Many files side by side use the cores better, and messages stay on this thread.
  context->thread_count = 1;
  context->max_samples = kMaxFrameSamples;
  const int status = avcodec_open2(context.get(), codec, nullptr);
  if (status < 0) {
    throw Error(ErrorCode::kInvalidAudio, "audio: {}: the {} stream cannot be decoded{}", name,
                codec_name, library_reason(status));
  }
  return context;
}

}  // namespace steno::audio
