#include "vad/speech_detector.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "vad/embedded_weights.h"
#include "vad/network.h"
#include "weights/safetensors.h"

namespace steno::vad {
namespace {

// Chunks that go through the convolutions together: 2 s. The arrays between the layers stay in the
// L2 cache.
constexpr std::int64_t kBatchChunks = 64;

// 120 dB over full scale. Far beyond it squares would leave f32, and the state would be NaN for
// good. DIFFERS: the reference takes any value.
constexpr float kLoudest = 1e6F;

float usable(float sample) {
  return std::isfinite(sample) ? std::clamp(sample, -kLoudest, kLoudest) : 0.0F;
}

float sigmoid(float logit) {
  return 1.0F / (1.0F + std::exp(-logit));
}

}  // namespace

SpeechDetector SpeechDetector::load(ops::Ops& ops) {
  const auto checkpoint = weights::open_safetensors(
      weights::borrow_memory(embedded_weights(), "silero_vad_v6_16k.safetensors (built in)"));
  return SpeechDetector(std::make_shared<Network>(load_network(*checkpoint, ops)));
}

struct ProbabilityStream::State {
  State(const SpeechDetector& detector_in, ops::Ops& ops)
      : detector(detector_in), backend(ops), samples(kContextSamples, 0.0F) {}

  std::int64_t num_pending() const { return std::ssize(samples) - kContextSamples; }

  // The first `num_chunks` chunks of `samples` -> probabilities; the last of them leaves its end as
  // context.
  void run(std::int64_t num_chunks, std::vector<float>& probabilities) {
    Tensor input = batch.slice(0, num_chunks);
    for (std::int64_t i = 0; i < num_chunks; ++i) {
      float* row = input.data<float>() + i * kInputSamples;
      float* end =
          std::copy_n(samples.data() + i * kChunkSamples, kContextSamples + kChunkSamples, row);
      std::reverse_copy(end - 1 - kReflectedSamples, end - 1, end);
    }
    const Tensor logits = speech_logits(backend, detector.network(), input, lstm);
    for (std::int64_t i = 0; i < num_chunks; ++i) {
      probabilities.push_back(sigmoid(logits.data<float>()[i]));
    }
    samples.erase(samples.begin(), samples.begin() + num_chunks * kChunkSamples);
  }

  SpeechDetector detector;
  ops::Ops& backend;
  std::vector<float> samples;  // context, then what no chunk has taken yet
  Tensor batch = Tensor::make({kBatchChunks, kInputSamples});
  ops::LstmState lstm{Tensor::zeros({1, kHiddenSize}), Tensor::zeros({1, kHiddenSize})};
  std::int64_t num_samples = 0;
  bool is_finished = false;
};

ProbabilityStream::ProbabilityStream(const SpeechDetector& detector, ops::Ops& ops)
    : state_(std::make_unique<State>(detector, ops)) {}
ProbabilityStream::~ProbabilityStream() = default;
ProbabilityStream::ProbabilityStream(ProbabilityStream&&) noexcept = default;
ProbabilityStream& ProbabilityStream::operator=(ProbabilityStream&&) noexcept = default;

std::vector<float> ProbabilityStream::push(std::span<const float> pcm) {
  STENO_CHECK(!state_->is_finished, "pushed after finish");
  std::vector<float> probabilities;
  state_->num_samples += std::ssize(pcm);
  while (!pcm.empty()) {
    const std::int64_t room = kBatchChunks * kChunkSamples - state_->num_pending();
    const auto taken = static_cast<std::size_t>(std::min(room, std::ssize(pcm)));
    std::transform(pcm.begin(), pcm.begin() + taken, std::back_inserter(state_->samples), usable);
    pcm = pcm.subspan(taken);
    const std::int64_t num_chunks = state_->num_pending() / kChunkSamples;
    if (num_chunks > 0) state_->run(num_chunks, probabilities);
  }
  return probabilities;
}

std::vector<float> ProbabilityStream::finish() {
  STENO_CHECK(!state_->is_finished, "finished twice");
  state_->is_finished = true;
  std::vector<float> probabilities;
  if (state_->num_pending() > 0) {
    state_->samples.resize(kContextSamples + kChunkSamples, 0.0F);
    state_->run(1, probabilities);
  }
  return probabilities;
}

std::int64_t ProbabilityStream::num_samples() const {
  return state_->num_samples;
}

}  // namespace steno::vad
