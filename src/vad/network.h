// Silero VAD v6 at 16 kHz: 64 samples of context and a chunk of 512 -> one logit of speech.
//
//   samples [640] -> STFT 256/128, Hann -> magnitudes [4, 129]
//   -> conv 129>128 -> conv 128>64 /2 -> conv 64>64 /2 -> conv 64>128, each 3 taps and ReLU ->
//   [128]
//   -> LSTM 128 (the only thing that chunks share) -> ReLU -> 128>1
// Path: vad/speech_detector -> here -> ops.
// Source: silero-vad 6.2.3: silero_vad_16k_sequence.onnx, whose names the weights carry.
#pragma once

#include <cstdint>

#include "ops/ops.h"
#include "tensor/tensor.h"
#include "vad/chunk.h"
#include "weights/checkpoint.h"

namespace steno::vad {

inline constexpr std::int64_t kContextSamples = 64;    // of the chunk before, zeros at the start
inline constexpr std::int64_t kReflectedSamples = 64;  // the end once more, backwards
inline constexpr std::int64_t kInputSamples = kContextSamples + kChunkSamples + kReflectedSamples;
inline constexpr std::int64_t kHiddenSize = 128;

struct Network {
  Tensor window;               // [256], Hann
  ops::Weight encoder_0;       // [128, 3 * 129]
  ops::Weight encoder_1;       // [64, 3 * 128]
  ops::Weight encoder_2;       // [64, 2 * 64]: the taps that see a frame
  ops::Weight encoder_3;       // [128, 64]: the tap that sees a frame
  ops::Weight lstm_input;      // [4 * 128, 128], with both biases
  ops::Weight lstm_recurrent;  // [4 * 128, 128]
  ops::Weight output;          // [1, 128]
};

// Throws Error(kInvalidModel) that names what is missing, unknown or of another shape.
Network load_network(const weights::Checkpoint& checkpoint, ops::Ops& ops);

// samples [B, 640], B chunks in a row: context, chunk, reflection. `state` [1, 128] is moved on by
// B chunks. -> logits [B, 1].
Tensor speech_logits(ops::Ops& ops, const Network& w, const Tensor& samples, ops::LstmState& state);

}  // namespace steno::vad
