// One recording on its way in: bytes -> PCM -> log-mel, streaming; only the mel stays.
// Path: audio/decoder, features/log_mel -> here -> transcribe/sequential.
#pragma once

#include <string>

#include "audio/pcm.h"
#include "audio/source.h"
#include "features/mel_store.h"

namespace steno::transcribe {

struct Recording {
  std::string name;
  audio::DecodeReport report;
  features::MelStore mel;
};

// Reads to the end. Throws Error(kInvalidAudio or kNotFound) when nothing can be decoded; what can
// only partly be decoded is reported in Recording::report.
Recording read_recording(const audio::Source& source, int num_mels);

}  // namespace steno::transcribe
