// WAV files in memory, built field by field so that a test can make any of them wrong.
// Source: RIFF/WAVE (Microsoft, 1994), WAVEFORMATEXTENSIBLE (mmreg.h).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steno::test {

struct WavFormat {
  int tag = 1;  // 1 PCM, 3 IEEE float, 6 A-law, 7 mu-law
  int bits = 16;
  int rate_hz = 16000;
  int num_channels = 1;
  bool extensible = false;
};

template <typename T>
void append(std::string& bytes, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));  // the tests run on little-endian machines, as RIFF is
  bytes.append(raw, sizeof(T));
}

inline std::string wav_format_chunk(const WavFormat& format) {
  const int block = format.num_channels * format.bits / 8;
  std::string chunk = "fmt ";
  append<std::uint32_t>(chunk, format.extensible ? 40 : 16);
  append<std::uint16_t>(chunk, static_cast<std::uint16_t>(format.extensible ? 0xFFFE : format.tag));
  append<std::uint16_t>(chunk, static_cast<std::uint16_t>(format.num_channels));
  append<std::uint32_t>(chunk, static_cast<std::uint32_t>(format.rate_hz));
  append<std::uint32_t>(chunk, static_cast<std::uint32_t>(std::int64_t{format.rate_hz} * block));
  append<std::uint16_t>(chunk, static_cast<std::uint16_t>(block));
  append<std::uint16_t>(chunk, static_cast<std::uint16_t>(format.bits));
  if (!format.extensible) return chunk;
  append<std::uint16_t>(chunk, 22);
  append<std::uint16_t>(chunk, static_cast<std::uint16_t>(format.bits));
  append<std::uint32_t>(chunk, 0);  // no speaker positions
  append<std::uint16_t>(chunk, static_cast<std::uint16_t>(format.tag));
  using namespace std::string_view_literals;
  chunk += "\x00\x00\x00\x00\x10\x00\x80\x00\x00\xAA\x00\x38\x9B\x71"sv;  // the rest of the
                                                                          // sub-format GUID
  return chunk;
}

// `claimed_bytes`: the size that the data chunk states, when it is not the true one.
inline std::string wav_header(const WavFormat& format, std::uint32_t claimed_bytes) {
  const std::string format_chunk = wav_format_chunk(format);
  std::string bytes = "RIFF";
  const bool unknown = claimed_bytes == 0xFFFFFFFF;
  append<std::uint32_t>(
      bytes, unknown ? claimed_bytes
                     : static_cast<std::uint32_t>(12 + format_chunk.size()) + claimed_bytes);
  bytes += "WAVE" + format_chunk + "data";
  append<std::uint32_t>(bytes, claimed_bytes);
  return bytes;
}

inline std::string wav(const WavFormat& format, std::string_view data,
                       std::optional<std::uint32_t> claimed_bytes = std::nullopt) {
  std::string bytes =
      wav_header(format, claimed_bytes.value_or(static_cast<std::uint32_t>(data.size())));
  bytes += data;
  return bytes;
}

template <typename T>
std::string raw(const std::vector<T>& samples) {
  std::string bytes;
  for (const T sample : samples) append<T>(bytes, sample);
  return bytes;
}

// A sine of `amplitude`, `num_samples` long.
inline std::vector<float> sine(double frequency_hz, double amplitude, int rate_hz,
                               int num_samples) {
  std::vector<float> samples(static_cast<std::size_t>(num_samples));
  for (int i = 0; i < num_samples; ++i) {
    samples[static_cast<std::size_t>(i)] =
        static_cast<float>(amplitude * std::sin(2 * std::numbers::pi * frequency_hz * i / rate_hz));
  }
  return samples;
}

inline std::vector<std::int16_t> to_s16(const std::vector<float>& samples) {
  std::vector<std::int16_t> out;
  for (const float s : samples) out.push_back(static_cast<std::int16_t>(std::lround(s * 32767)));
  return out;
}

}  // namespace steno::test
