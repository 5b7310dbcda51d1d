#include "weights/model_names.h"

namespace steno::weights {
namespace {

constexpr ShortName kNames[] = {
    {"tiny", "openai/whisper-tiny"},
    {"tiny.en", "openai/whisper-tiny.en"},
    {"base", "openai/whisper-base"},
    {"base.en", "openai/whisper-base.en"},
    {"small", "openai/whisper-small"},
    {"small.en", "openai/whisper-small.en"},
    {"medium", "openai/whisper-medium"},
    {"medium.en", "openai/whisper-medium.en"},
    {"large-v1", "openai/whisper-large"},
    {"large-v2", "openai/whisper-large-v2"},
    {"large-v3", "openai/whisper-large-v3"},
    {"turbo", "openai/whisper-large-v3-turbo"},
    {"distil-small.en", "distil-whisper/distil-small.en"},
    {"distil-medium.en", "distil-whisper/distil-medium.en"},
    {"distil-large-v2", "distil-whisper/distil-large-v2"},
    {"distil-large-v3", "distil-whisper/distil-large-v3"},
    {"distil-large-v3.5", "distil-whisper/distil-large-v3.5"},
};

// As openai-whisper and faster-whisper have them.
constexpr ShortName kOtherNames[] = {
    {"large", "openai/whisper-large-v3"},
    {"large-v3-turbo", "openai/whisper-large-v3-turbo"},
};

}  // namespace

std::span<const ShortName> short_names() {
  return kNames;
}

std::string repository_of(std::string_view name) {
  constexpr std::string_view kFamily = "whisper-";
  std::string_view rest = name;
  if (rest.starts_with(kFamily)) rest.remove_prefix(kFamily.size());
  for (const auto names :
       {std::span<const ShortName>(kNames), std::span<const ShortName>(kOtherNames)}) {
    for (const ShortName& known : names) {
      if (known.name == rest) return std::string(known.repository);
    }
  }
  return std::string(name);
}

}  // namespace steno::weights
