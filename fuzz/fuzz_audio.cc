// Fuzzes everything from sniffing to samples: memory -> container -> codec -> resampler.
//
// A small file may claim hours, so the first minutes of samples count. An input that is no
// recording is the expected outcome; samples that are not finite, or an error of another kind, are
// findings.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "audio/decoder.h"
#include "base/check.h"
#include "base/error.h"

namespace {

using steno::audio::Decoder;

void decode(Decoder& decoder) {
  constexpr std::size_t kBlockSamples = 16000;
  constexpr int kMaxBlocks = 120;
  std::vector<std::vector<float>> planes(static_cast<std::size_t>(decoder.num_outputs()),
                                         std::vector<float>(kBlockSamples));
  const std::vector<std::span<float>> outs(planes.begin(), planes.end());
  for (int block = 0; block < kMaxBlocks; ++block) {
    const std::size_t count = decoder.read_channels(outs);
    for (const std::span<float> out : outs) {
      for (const float sample : out.first(count)) STENO_CHECK(std::isfinite(sample));
    }
    if (count < kBlockSamples) break;
  }
  STENO_CHECK(decoder.report().covered_s >= 0 && std::isfinite(decoder.report().covered_s));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span bytes(data, size);
  // Which options: of the content, so that a corpus needs no field for it.
  const unsigned sum = std::accumulate(bytes.begin(), bytes.end(), 0U);
  try {
    const auto source = steno::audio::Source::view(std::as_bytes(bytes), "fuzz");
    Decoder decoder = Decoder::open(source, {.split = sum % 4 == 1, .strict = sum % 4 == 2});
    decode(decoder);
  } catch (const steno::Error& error) {
    if (error.code() != steno::ErrorCode::kInvalidAudio) throw;
  }
  return 0;
}
