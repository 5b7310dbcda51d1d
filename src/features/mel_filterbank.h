// Triangular mel filters over the 201 bins of a 400-point power spectrum at 16 kHz, 0 to 8000 Hz.
// Path: features/fft -> here -> features/log_mel takes the logarithm.
// Source: librosa.filters.mel (htk=False, norm="slaney"), which OpenAI ships as mel_filters.npz.
//
// Threads: const after construction; any number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "features/fft.h"

namespace steno::features {

class MelFilterbank {
 public:
  // Whisper uses 80 (tiny .. large-v2) or 128 (large-v3, turbo). Requires 1 <= num_mels <= 201.
  explicit MelFilterbank(int num_mels);

  int num_mels() const { return static_cast<int>(filters_.size()); }

  // The non-zero run of one filter: weight i belongs to bin first_bin + i.
  int first_bin(int mel) const { return filters_[static_cast<std::size_t>(mel)].first_bin; }
  std::span<const float> weights(int mel) const;

  // mel[m][lane] = sum over k of weight[m][k] * power[k][lane]. Requires mel.size() = num_mels *
  // kLanes.
  void apply(const PowerLanes& power, std::span<float> mel) const;

 private:
  struct Filter {
    int first_bin;
    std::size_t first_weight, num_weights;  // a run of weights_
  };
  std::vector<Filter> filters_;
  std::vector<float> weights_;
};

}  // namespace steno::features
