#include "vad/network.h"

#include <string>

#include "weights/declared.h"

namespace steno::vad {
namespace {

constexpr std::int64_t kBins = 129;
constexpr std::int64_t kHop = 128;
constexpr std::int64_t kTaps = 3;

const weights::Declared kDeclared[] = {
    {"stft_conv.weight", {2 * kBins, 1, 2 * kHop}},
    {"conv1.weight", {128, kBins, kTaps}},
    {"conv1.bias", {128}},
    {"conv2.weight", {64, 128, kTaps}},
    {"conv2.bias", {64}},
    {"conv3.weight", {64, 64, kTaps}},
    {"conv3.bias", {64}},
    {"conv4.weight", {kHiddenSize, 64, kTaps}},
    {"conv4.bias", {kHiddenSize}},
    {"lstm_cell.weight_ih", {4 * kHiddenSize, kHiddenSize}},
    {"lstm_cell.weight_hh", {4 * kHiddenSize, kHiddenSize}},
    {"lstm_cell.bias_ih", {4 * kHiddenSize}},
    {"lstm_cell.bias_hh", {4 * kHiddenSize}},
    {"final_conv.weight", {1, kHiddenSize, 1}},
    {"final_conv.bias", {1}},
};

class Loader {
 public:
  Loader(const weights::Checkpoint& checkpoint, ops::Ops& ops)
      : checkpoint_(checkpoint), ops_(ops) {}

  ops::Weight stft() const {
    const Tensor basis = checkpoint_.read_f32("stft_conv.weight");
    return pack(basis.reshaped({2 * kBins, 2 * kHop}), {});
  }

  // Taps [first, last) of [N, C, 3] -> [N, (last - first) * C], taps outermost: how a time-major
  // input lies in memory.
  ops::Weight conv(const std::string& name, std::int64_t first = 0,
                   std::int64_t last = kTaps) const {
    const Tensor in = checkpoint_.read_f32(name + ".weight");
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
    return pack(out, checkpoint_.read_f32(name + ".bias"));
  }

  ops::Weight lstm_ih() const {
    return pack(checkpoint_.read_f32("lstm_cell.weight_ih"),
                ops_.add(checkpoint_.read_f32("lstm_cell.bias_ih"),
                         checkpoint_.read_f32("lstm_cell.bias_hh")));
  }

  ops::Weight lstm_hh() const { return pack(checkpoint_.read_f32("lstm_cell.weight_hh"), {}); }

  ops::Weight final_conv() const {
    return pack(checkpoint_.read_f32("final_conv.weight").reshaped({1, kHiddenSize}),
                checkpoint_.read_f32("final_conv.bias"));
  }

 private:
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
      .stft_conv = loader.stft(),
      .conv1 = loader.conv("conv1"),
      .conv2 = loader.conv("conv2"),
      .conv3 = loader.conv("conv3", 1),
      .conv4 = loader.conv("conv4", 1, 2),
      .lstm_ih = loader.lstm_ih(),
      .lstm_hh = loader.lstm_hh(),
      .final_conv = loader.final_conv(),
  };
}

Tensor speech_logits(ops::Ops& ops, const Network& w, const Tensor& samples,
                     ops::LstmState& state) {
  constexpr auto kRelu = ops::Activation::kRelu;
  const std::int64_t b = samples.dim(0);

  // A frame of 256 samples is two hops: the STFT is a convolution of two taps over hops.
  const Tensor hops = samples.reshaped({b, kInputSamples / kHop, kHop});  // [B, 5, 128]
  const Tensor stft =
      ops.conv1d(hops, w.stft_conv, {.kernel = 2, .stride = 1, .padding = 0});  // [B, 4, 258]
  Tensor x = ops.magnitude({stft, 0, kBins}, {stft, kBins, 2 * kBins});         // [B, 4, 129]

  x = ops.conv1d(x, w.conv1, {.activation = kRelu});               // [B, 4, 128]
  x = ops.conv1d(x, w.conv2, {.stride = 2, .activation = kRelu});  // [B, 2, 64]
  // Of the last two convolutions the other taps lie in the padding.
  x = ops.linear(x.reshaped({b, 2 * 64}), w.conv3, {.activation = kRelu});  // [B, 64]
  x = ops.linear(x, w.conv4, {.activation = kRelu});                        // [B, 128]

  const Tensor gates = ops.linear(x, w.lstm_ih).reshaped({1, b, 4 * kHiddenSize});  // [1, B, 512]
  x = ops.lstm(gates, w.lstm_hh, state).reshaped({b, kHiddenSize});                 // [B, 128]
  return ops.linear(ops.relu(x), w.final_conv);                                     // [B, 1]
}

}  // namespace steno::vad
