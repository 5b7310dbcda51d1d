#include "transcribe/options.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "base/error.h"

namespace steno::transcribe {
namespace {

// Bounds memory: each row keeps its own keys. The reference has none.
constexpr int kMaxRows = 64;

// Each may be decoded for every window; the reference's ladder has six.
constexpr std::ptrdiff_t kMaxTemperatures = 16;

// "beam size" -> "--beam-size"
std::string flag(std::string_view option) {
  std::string name = "--" + std::string(option);
  std::ranges::replace(name, ' ', '-');
  return name;
}

void require(bool holds, std::string_view option, double value, std::string_view range) {
  if (holds) return;
  throw Error(ErrorCode::kInvalidValue, "{} is {}, but must be {}", flag(option), value, range);
}

void check_number_of_temperatures(std::ptrdiff_t num) {
  if (num >= 1 && num <= kMaxTemperatures) return;
  throw Error(ErrorCode::kInvalidValue, "--temperature has {} values, but must have 1 to {}", num,
              kMaxTemperatures);
}

}  // namespace

void check(const Options& o) {
  check_number_of_temperatures(std::ssize(o.temperatures));
  for (const double t : o.temperatures) {
    require(t >= 0 && t <= 1, "temperature", t, "between 0 and 1");
  }
  require(o.beam_size >= 1 && o.beam_size <= kMaxRows, "beam size", o.beam_size,
          "between 1 and 64");
  require(o.best_of >= 1 && o.best_of <= kMaxRows, "best of", o.best_of, "between 1 and 64");
  require(o.patience > 0 && o.patience <= 16, "patience", o.patience, "above 0 and at most 16");
  if (o.length_penalty) {
    require(*o.length_penalty >= 0 && *o.length_penalty <= 1, "length penalty", *o.length_penalty,
            "between 0 and 1");
  }
  if (o.compression_ratio_threshold) {
    require(std::isfinite(*o.compression_ratio_threshold), "compression ratio threshold",
            *o.compression_ratio_threshold, "a finite number");
  }
  if (o.logprob_threshold) {
    require(std::isfinite(*o.logprob_threshold), "logprob threshold", *o.logprob_threshold,
            "a finite number");
  }
  if (o.no_speech_threshold) {
    require(*o.no_speech_threshold >= 0 && *o.no_speech_threshold <= 1, "no-speech threshold",
            *o.no_speech_threshold, "between 0 and 1");
  }
  if (o.max_initial_timestamp_s) {
    require(*o.max_initial_timestamp_s >= 0 && *o.max_initial_timestamp_s <= 30,
            "max initial timestamp", *o.max_initial_timestamp_s, "between 0 and 30 s");
  }
  if (o.hallucination_silence_threshold_s) {
    const double threshold_s = *o.hallucination_silence_threshold_s;
    require(std::isfinite(threshold_s) && threshold_s >= 0, "hallucination silence threshold",
            threshold_s, "at least 0 s");
    require(o.word_timestamps && o.mode == Mode::kSequential, "hallucination silence threshold",
            threshold_s, "none without word timestamps and the sequential mode, which it needs");
  }
  require(o.window_length_s >= 5 && o.window_length_s <= 30, "window length", o.window_length_s,
          "from 5 to 30 s");
  require(o.window_padding_s >= 0 && std::isfinite(o.window_padding_s), "window padding",
          o.window_padding_s, "at least 0 s");
  require(o.max_new_tokens >= 0, "max new tokens", o.max_new_tokens, "at least 0");
  double previous = 0;
  for (const double time : o.clip_timestamps_s) {
    require(std::isfinite(time) && time >= previous, "clip timestamps", time,
            "at least 0 and not below the one before it");
    previous = time;
  }
}

models::DecodeOptions decode_options(const Options& o, double temperature) {
  models::DecodeOptions d;
  d.language = o.language;
  d.translate = o.translate;
  d.temperature = temperature;
  d.beam_size = o.beam_size;
  d.patience = o.patience;
  d.length_penalty = o.length_penalty;
  d.best_of = o.best_of;
  d.seed = o.seed;
  d.suppress_tokens = o.suppress_tokens;
  d.suppress_blank = o.suppress_blank;
  d.without_timestamps = o.without_timestamps;
  d.max_initial_timestamp_s = o.max_initial_timestamp_s;
  d.max_new_tokens = o.max_new_tokens;
  return d;
}

}  // namespace steno::transcribe
