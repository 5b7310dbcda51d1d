#include "transcribe/recording.h"

#include <span>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "features/log_mel.h"
#include "text/languages.h"

namespace steno::transcribe {

audio::Decoder open_decoder(const audio::Source& source, audio::DecodeOptions options) {
  options.same_language = [](std::string_view tag, std::string_view wanted) {
    const auto code = text::find_language_code(tag);
    return code && code == text::find_language_code(wanted);
  };
  return audio::Decoder::open(source, options);
}

std::vector<Recording> read_channels(const audio::Source& source, int num_mels,
                                     const audio::DecodeOptions& options) {
  constexpr std::size_t kBlockSamples = std::size_t{4} * audio::kSampleRate;
  audio::Decoder decoder = open_decoder(source, options);
  const auto num_outputs = static_cast<std::size_t>(decoder.num_outputs());
  std::vector<Recording> recordings;
  std::vector<features::LogMel> log_mels;
  for (std::size_t i = 0; i < num_outputs; ++i) {
    recordings.push_back({source.name(), decoder.info(), {}, features::MelStore(num_mels)});
    log_mels.emplace_back(num_mels);
  }
  std::vector<std::vector<float>> blocks(num_outputs, std::vector<float>(kBlockSamples));
  const std::vector<std::span<float>> outs(blocks.begin(), blocks.end());
  for (std::size_t read = kBlockSamples; read == kBlockSamples;) {
    read = decoder.read_channels(outs);
    for (std::size_t i = 0; i < num_outputs; ++i) {
      recordings[i].mel.append(log_mels[i].push(outs[i].first(read)));
    }
  }
  for (std::size_t i = 0; i < num_outputs; ++i) {
    recordings[i].mel.append(log_mels[i].finish());
    recordings[i].mel.finish(log_mels[i].content_frames());
    recordings[i].report = decoder.report();
  }
  return recordings;
}

Recording read_recording(const audio::Source& source, int num_mels,
                         const audio::DecodeOptions& options) {
  STENO_CHECK(!options.split, "read_channels gives every channel");
  return std::move(read_channels(source, num_mels, options).front());
}

}  // namespace steno::transcribe
