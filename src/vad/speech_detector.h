// How likely each 32 ms of audio are speech: Silero VAD v6 over a stream of samples.
//
// Path: audio -> here -> vad/spans (probabilities -> spans of speech).
// Source: silero-vad 6.2.3, the 16 kHz network; equal to its ONNX model within 1e-4.
// Units: samples at audio::kSampleRate, full scale +-1; a probability a chunk of kChunkSamples.
// Threads: a SpeechDetector is const and shared by any number of streams; a ProbabilityStream and
// the Ops it was given belong to one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "ops/ops.h"
#include "vad/chunk.h"

namespace steno::vad {

struct Network;

class SpeechDetector {
 public:
  // The weights are in the program: nothing is read from disk. `ops` packs them and is not kept;
  // any Ops of the same backend and instruction set may run them.
  static SpeechDetector load(ops::Ops& ops);

  const Network& network() const { return *network_; }

 private:
  explicit SpeechDetector(std::shared_ptr<const Network> network) : network_(std::move(network)) {}

  std::shared_ptr<const Network> network_;
};

class ProbabilityStream {
 public:
  // Keeps the weights alive; `ops` must outlive the stream.
  ProbabilityStream(const SpeechDetector& detector, ops::Ops& ops);
  ~ProbabilityStream();
  ProbabilityStream(ProbabilityStream&&) noexcept;
  ProbabilityStream& operator=(ProbabilityStream&&) noexcept;

  // The probabilities of the chunks that became complete, in order; long blocks are the fastest.
  // Samples that are not finite count as 0. How the samples are cut into blocks changes no bit.
  std::vector<float> push(std::span<const float> pcm);
  // The probability of the last, partial chunk, filled up with zeros; none when there is no rest.
  // Nothing may be pushed afterwards.
  std::vector<float> finish();

  std::int64_t num_samples() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace steno::vad
