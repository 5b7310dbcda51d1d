#include "transcribe/options.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/error.h"

namespace steno::transcribe {
namespace {

TEST(Options, TheDefaultsAreValid) {
  EXPECT_NO_THROW(check({}));
}

TEST(Options, EachRangeIsChecked) {
  const std::vector<std::function<void(Options&)>> kBad = {
      [](Options& o) { o.temperatures = {}; },
      [](Options& o) { o.temperatures.assign(17, 0.5); },
      [](Options& o) { o.temperatures = {1.5}; },
      [](Options& o) {
        o.temperatures = {0, -0.1};
      },
      [](Options& o) { o.temperatures = {std::nan("")}; },
      [](Options& o) { o.beam_size = 0; },
      [](Options& o) { o.beam_size = 65; },
      [](Options& o) { o.best_of = 0; },
      [](Options& o) { o.patience = 0; },
      [](Options& o) { o.length_penalty = 1.1; },
      [](Options& o) { o.no_speech_threshold = 2; },
      [](Options& o) { o.logprob_threshold = INFINITY; },
      [](Options& o) { o.compression_ratio_threshold = std::nan(""); },
      [](Options& o) { o.max_initial_timestamp_s = 31; },
      [](Options& o) {
        o.clip_timestamps_s = {5, 3};
      },
      [](Options& o) { o.clip_timestamps_s = {-1}; },
      [](Options& o) { o.window_length_s = 4.9; },
      [](Options& o) { o.window_length_s = 30.1; },
      [](Options& o) { o.window_length_s = std::nan(""); },
      [](Options& o) { o.window_padding_s = -1; },
      [](Options& o) { o.max_new_tokens = -1; },
      [](Options& o) { o.hallucination_silence_threshold_s = 2; },  // without words
      [](Options& o) {
        o.word_timestamps = true;
        o.mode = Mode::kSequential;
        o.hallucination_silence_threshold_s = -1;
      },
      [](Options& o) {
        o.word_timestamps = true;
        o.mode = Mode::kParallel;
        o.hallucination_silence_threshold_s = 2;
      },
  };
  for (std::size_t i = 0; i < kBad.size(); ++i) {
    Options options;
    kBad[i](options);
    EXPECT_THROW(check(options), Error) << "case " << i;
  }
}

TEST(Options, TheMessageNamesOptionValueAndRange) {
  Options options;
  options.temperatures = {1.5};
  try {
    check(options);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidValue);
    EXPECT_STREQ(error.what(), "--temperature is 1.5, but must be between 0 and 1");
  }
}

}  // namespace
}  // namespace steno::transcribe
