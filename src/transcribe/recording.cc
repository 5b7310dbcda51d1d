#include "transcribe/recording.h"

#include <vector>

#include "audio/decoder.h"
#include "features/log_mel.h"

namespace steno::transcribe {

Recording read_recording(const audio::Source& source, int num_mels) {
  constexpr std::size_t kBlockSamples = std::size_t{4} * audio::kSampleRate;
  audio::Decoder decoder = audio::Decoder::open(source);
  Recording recording{source.name(), {}, features::MelStore(num_mels)};
  features::LogMel log_mel(num_mels);
  std::vector<float> block(kBlockSamples);
  for (std::size_t read = block.size(); read == block.size();) {
    read = decoder.read(block);
    recording.mel.append(log_mel.push(std::span(block).first(read)));
  }
  recording.mel.append(log_mel.finish());
  recording.mel.finish(log_mel.content_frames());
  recording.report = decoder.report();
  return recording;
}

}  // namespace steno::transcribe
