// The oracle of the features tests: log-mel straight from its definition, in double.
// Source: whisper/audio.py log_mel_spectrogram (v20250625) and librosa.filters.mel.
#pragma once

#include <span>
#include <vector>

namespace steno::features::testing {

// |DFT of x|^2, bins [0, 201). Requires 400 samples.
std::vector<double> naive_power(std::span<const double> x);

// librosa.filters.mel(sr=16000, n_fft=400, n_mels=num_mels) before its rounding to f32:
// [num_mels][201].
std::vector<std::vector<double>> naive_filters(int num_mels);

// log10(max(mel, 1e-10)) of frames [first_frame, end_frame) of pcm, which is reflected at both
// ends: [end_frame - first_frame, num_mels]. Requires more than 200 samples.
std::vector<double> naive_log_mel(std::span<const float> pcm, int num_mels, int first_frame,
                                  int end_frame);

// Loud and quiet stretches, tones over noise, an abrupt stop: the same on every machine.
std::vector<float> test_signal(int num_samples, unsigned seed = 1);

}  // namespace steno::features::testing
