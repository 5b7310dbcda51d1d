#include "vad/network.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/error.h"
#include "weights/declared.h"

namespace steno::vad {
namespace {

constexpr std::int64_t kBins = 129;
constexpr std::int64_t kFrame = 256;
constexpr int kHop = 128;
constexpr std::int64_t kTaps = 3;

constexpr std::int64_t kGates = 4;
constexpr double kBasisTolerance = 1e-6;  // the file's f32 values are within 1e-7

const weights::Declared kDeclared[] = {
    {"stft.forward_basis_buffer", {2 * kBins, 1, kFrame}},
    {"encoder.0.weight", {128, kBins, kTaps}},
    {"encoder.0.bias", {128}},
    {"encoder.1.weight", {64, 128, kTaps}},
    {"encoder.1.bias", {64}},
    {"encoder.2.weight", {64, 64, kTaps}},
    {"encoder.2.bias", {64}},
    {"encoder.3.weight", {kHiddenSize, 64, kTaps}},
    {"encoder.3.bias", {kHiddenSize}},
    {"lstm.W", {1, kGates* kHiddenSize, kHiddenSize}},
    {"lstm.R", {1, kGates* kHiddenSize, kHiddenSize}},
    {"lstm.B", {1, 2 * kGates* kHiddenSize}},
    {"output.weight", {1, kHiddenSize, 1}},
    {"output.bias", {1}},
};

// TRAP: ONNX orders the gates input, output, forget, cell; ops.lstm as PyTorch: input, forget,
// cell, output.
Tensor gates_in_order(const Tensor& in) {
  constexpr std::int64_t kFrom[kGates] = {0, 2, 3, 1};
  const std::int64_t gate_size = in.num_elements() / kGates;
  Tensor out = Tensor::make(in.shape());
  for (std::int64_t gate = 0; gate < kGates; ++gate) {
    std::copy_n(in.data<float>() + kFrom[gate] * gate_size, gate_size,
                out.data<float>() + gate * gate_size);
  }
  return out;
}

class Loader {
 public:
  Loader(const weights::Checkpoint& checkpoint, ops::Ops& ops)
      : checkpoint_(checkpoint), ops_(ops) {}

  // The file has the transform as a matrix: the window times the cosines of the bins 0 to 128, then
  // times their sines, negative. Bin 0 is the window itself. What is no such matrix is refused.
  Tensor window() const {
    const Tensor basis = read("stft.forward_basis_buffer").reshaped({2 * kBins, kFrame});
    for (std::int64_t row = 0; row < 2 * kBins; ++row) {
      const float* values = basis.data<float>() + row * kFrame;
      for (std::int64_t n = 0; n < kFrame; ++n) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(row % kBins * n % kFrame) /
                             static_cast<double>(kFrame);
        const double turn = row < kBins ? std::cos(angle) : -std::sin(angle);
        if (std::abs(values[n] - basis.data<float>()[n] * turn) <= kBasisTolerance) continue;
        throw Error(ErrorCode::kInvalidModel,
                    "vad: {}: stft.forward_basis_buffer is not a windowed Fourier transform (row "
                    "{}, column {}); is this Silero VAD v6 at 16 kHz?",
                    checkpoint_.description(), row, n);
      }
    }
    return basis.slice(0, 1).reshaped({kFrame});
  }

  // Taps [first, last) of [N, C, 3] -> [N, (last - first) * C], taps outermost: how a time-major
  // input lies in memory.
  ops::Weight conv(const std::string& name, std::int64_t first = 0,
                   std::int64_t last = kTaps) const {
    const Tensor in = read(name + ".weight");
    const std::int64_t num_outputs = in.dim(0);
    const std::int64_t num_channels = in.dim(1);
    Tensor out = Tensor::make({num_outputs, (last - first) * num_channels});
    const float* from = in.data<float>();
    float* to = out.data<float>();
    for (std::int64_t n = 0; n < num_outputs; ++n) {
      for (std::int64_t tap = first; tap < last; ++tap) {
        for (std::int64_t c = 0; c < num_channels; ++c) {
          *to++ = from[(n * num_channels + c) * kTaps + tap];
        }
      }
    }
    return pack(out, read(name + ".bias"));
  }

  ops::Weight lstm_input() const {
    const Tensor both = read("lstm.B").reshaped({2, kGates * kHiddenSize});
    return pack(gates_in_order(lstm_matrix("lstm.W")),
                gates_in_order(ops_.add(both.slice(0, 1), both.slice(1, 2))));
  }

  ops::Weight lstm_recurrent() const { return pack(gates_in_order(lstm_matrix("lstm.R")), {}); }

  ops::Weight output() const {
    return pack(read("output.weight").reshaped({1, kHiddenSize}), read("output.bias"));
  }

 private:
  Tensor read(const std::string& name) const { return checkpoint_.read_f32(name); }

  Tensor lstm_matrix(const std::string& name) const {
    return read(name).reshaped({kGates * kHiddenSize, kHiddenSize});
  }

  ops::Weight pack(const Tensor& matrix, const Tensor& bias) const {
    return ops_.pack(matrix, bias, ops::ComputeType::kF32);
  }

  const weights::Checkpoint& checkpoint_;
  ops::Ops& ops_;
};

}  // namespace

Network load_network(const weights::Checkpoint& checkpoint, ops::Ops& ops) {
  weights::verify(checkpoint, kDeclared, [](std::string_view) { return false; });
  const Loader loader(checkpoint, ops);
  return {
      .window = loader.window(),
      .encoder_0 = loader.conv("encoder.0"),
      .encoder_1 = loader.conv("encoder.1"),
      .encoder_2 = loader.conv("encoder.2", 1),
      .encoder_3 = loader.conv("encoder.3", 1, 2),
      .lstm_input = loader.lstm_input(),
      .lstm_recurrent = loader.lstm_recurrent(),
      .output = loader.output(),
  };
}

Tensor speech_logits(ops::Ops& ops, const Network& w, const Tensor& samples,
                     ops::LstmState& state) {
  constexpr auto kRelu = ops::Activation::kRelu;
  const std::int64_t b = samples.dim(0);

  Tensor x = ops.stft_magnitude(samples, w.window, kHop);              // [B, 4, 129]
  x = ops.conv1d(x, w.encoder_0, {.activation = kRelu});               // [B, 4, 128]
  x = ops.conv1d(x, w.encoder_1, {.stride = 2, .activation = kRelu});  // [B, 2, 64]
  // Of the last two convolutions the other taps lie in the padding.
  x = ops.linear(x.reshaped({b, 2 * 64}), w.encoder_2, {.activation = kRelu});  // [B, 64]
  x = ops.linear(x, w.encoder_3, {.activation = kRelu});                        // [B, 128]

  const Tensor gates =
      ops.linear(x, w.lstm_input).reshaped({1, b, 4 * kHiddenSize});        // [1, B, 4 * 128]
  x = ops.lstm(gates, w.lstm_recurrent, state).reshaped({b, kHiddenSize});  // [B, 128]
  return ops.linear(ops.relu(x), w.output);                                 // [B, 1]
}

}  // namespace steno::vad
