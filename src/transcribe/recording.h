// One recording on its way in: bytes -> PCM -> log-mel, streaming; only the mel stays.
// Path: audio/decoder, features/log_mel -> here -> transcribe/sequential.
#pragma once

#include <string>
#include <vector>

#include "audio/decoder.h"
#include "audio/pcm.h"
#include "audio/source.h"
#include "features/mel_store.h"

namespace steno::transcribe {

struct Recording {
  std::string name;
  audio::AudioInfo info;
  audio::DecodeReport report;
  features::MelStore mel;
};

// audio::Decoder::open, where `options.language` may be written in any way (text/languages.h).
audio::Decoder open_decoder(const audio::Source& source, audio::DecodeOptions options);

// Reads to the end, in one pass: a recording for each channel with `options.split`, else one.
// Throws Error(kInvalidAudio or kNotFound) when nothing can be decoded, Error(kInvalidValue) for a
// stream or channel that is not there; what can only partly be decoded is reported in
// Recording::report.
std::vector<Recording> read_channels(const audio::Source& source, int num_mels,
                                     const audio::DecodeOptions& options = {});

// The one there is without `options.split`.
Recording read_recording(const audio::Source& source, int num_mels,
                         const audio::DecodeOptions& options = {});

}  // namespace steno::transcribe
