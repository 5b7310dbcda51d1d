// What every model family can do, in verbs. No scheduling and no file formats here.
//
// A window of audio is encoded once; any number of sequences may be decoded from it (a retry at
// another temperature is just another sequence). One step() advances every sequence of a batch by
// one token. A step never fails for what a request holds: that was refused in start().
// Path: transcribe -> here -> models/<family>.
// Threads: one thread at a time; the Ops spread the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/ops.h"
#include "tensor/dtype.h"
#include "tensor/tensor.h"

namespace steno::models {

struct ModelInfo {
  std::string family;                  // "whisper"
  std::string name;                    // "whisper-base": of the folder
  std::vector<std::string> languages;  // codes; a single one when the model knows no other
  bool can_translate = false;          // to English
  int num_mel_bins = 80;
  int window_frames = 3000;     // of 10 ms: the most that one encode() takes
  int frames_per_position = 2;  // frames in one step of the times that tokens tell
  int max_prompt_tokens = 0;    // of previous text; more are cut from the front
  bool can_align = false;       // align() tells when each token was spoken
};

struct DecodeOptions {
  std::string language;  // a code of ModelInfo::languages; of the speech, also when translating
  bool translate = false;
  double temperature = 0;                   // 0: beam search or arg max; above: samples
  int beam_size = 5;                        // at temperature 0; 1 is the arg max
  double patience = 1;                      // of the beam search
  std::optional<double> length_penalty;     // alpha; without it the mean log-probability ranks
  int best_of = 5;                          // samples, at a temperature above 0
  std::uint64_t seed = 0;                   // of the samples
  std::vector<int> prompt_tokens;           // previous text
  std::vector<int> prefix_tokens;           // how the text of this window begins
  std::vector<int> suppress_tokens = {-1};  // -1: the model's non-speech set
  bool suppress_blank = true;
  bool without_timestamps = false;
  std::optional<double> max_initial_timestamp_s = 1.0;
  int max_new_tokens = 0;  // 0: the model's own limit
  // At temperature 0 with one beam: text that this may well be. It makes decoding faster where it
  // is right and changes nothing else.
  std::vector<int> draft_tokens;
  // Position from which on a timestamp that closes a segment ends the text: no speech is behind it.
  std::optional<int> end_position;
};

// What one sequence came to.
struct WindowText {
  std::vector<int> tokens;  // with timestamps, without control tokens
  double temperature = 0;
  double avg_logprob = 0;
  double no_speech_prob = 0;
  double compression_ratio = 0;  // of the text; high when it repeats itself
};

struct LanguageScore {
  std::string code;
  double probability = 0;
};

// An encoded window: its memory in the caches is given back with the last reference.
class Window {
 public:
  virtual ~Window() = default;
};

// Tokens of a window's text whose times are wanted.
struct AlignRequest {
  std::shared_ptr<const Window> window;
  // Of all the window's segments, in order, as many as one window can hold. Timestamps and control
  // tokens are passed over.
  std::vector<int> tokens;
  std::string language;  // as the text was decoded
  bool translate = false;
  int num_frames = 0;  // of 10 ms: the audio in the window; the rest is padding
};

struct AlignedToken {
  std::size_t index = 0;   // in AlignRequest::tokens
  double probability = 0;  // among text tokens, given those before it
  int position = 0;        // where it begins, in positions from the window's begin; never falls
};

struct Alignment {
  std::vector<AlignedToken> tokens;  // the text, in order
  int end_position = 0;              // where the last one ends
};

// The state of one decoding, from start() until it is done.
class Sequence {
 public:
  virtual ~Sequence() = default;
  virtual bool is_done() const = 0;
  // Requires is_done(). Call once.
  virtual WindowText result() = 0;
};

// Memory for encoded windows and for the keys of running sequences. It is touched only as it is
// used.
struct CacheConfig {
  int max_windows = 1;
  int max_rows = 1;  // beams and samples count one each
  // Of the windows' keys and values: kF32, kBF16 or kI8. Without it as exact as the compute type.
  std::optional<DType> window_dtype = std::nullopt;
};

class Model {
 public:
  virtual ~Model() = default;

  // Another model on the same weights, with caches of its own: for a thread of its own.
  virtual std::unique_ptr<Model> share() const = 0;

  virtual const ModelInfo& info() const = 0;
  virtual ops::ComputeType compute_type() const = 0;

  // Throws Error(kInvalidValue or kUnsupported) for options that this model cannot honour. An empty
  // language is one that is still to be detected.
  virtual void check(const DecodeOptions& options) const = 0;

  // ---- tokens
  virtual std::vector<int> encode_text(std::string_view text) const = 0;
  // Control tokens and timestamps are left out.
  virtual std::string decode_text(std::span<const int> tokens) const = 0;
  // In positions (ModelInfo::frames_per_position frames) from the window's begin; nothing for
  // tokens that are no timestamps.
  virtual std::optional<int> find_timestamp(int token) const = 0;

  // ---- work
  // Makes the caches; a smaller request changes nothing. Requires that no window or sequence is
  // alive.
  virtual void reserve(ops::Ops& ops, const CacheConfig& config) = 0;

  // Free + used = total in every cache. For tests.
  virtual bool is_consistent() const = 0;

  // mel [B, F, num_mel_bins], F > 0 a multiple of frames_per_position and at most window_frames:
  // work and memory grow with F. `on_pause` may be empty; it is called now and then, when the model
  // may be used for something else. Throws Error(kUnavailable) when the caches are full.
  virtual std::vector<std::shared_ptr<const Window>> encode(
      ops::Ops& ops, const Tensor& mel, const std::function<void()>& on_pause) = 0;
  std::vector<std::shared_ptr<const Window>> encode(ops::Ops& ops, const Tensor& mel) {
    return encode(ops, mel, {});
  }

  // Every language of the model, best first.
  virtual std::vector<LanguageScore> detect_language(ops::Ops& ops,
                                                     std::shared_ptr<const Window> window) = 0;

  // Throws as check() does; requires a language.
  virtual std::unique_ptr<Sequence> start(std::shared_ptr<const Window> window,
                                          const DecodeOptions& options) = 0;

  // Advances each by one token. Requires sequences of this model that are not done.
  virtual void step(ops::Ops& ops, std::span<Sequence* const> sequences) = 0;

  // When each token was spoken, one result a request; what else is among the requests changes
  // nothing. Sequences may be running. Throws Error(kUnsupported) without ModelInfo::can_align.
  virtual std::vector<Alignment> align(ops::Ops& ops, std::span<const AlignRequest> requests);
};

}  // namespace steno::models
