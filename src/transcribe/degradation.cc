#include "transcribe/degradation.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "base/error.h"
#include "base/utf8.h"

namespace steno::transcribe {
namespace {

// Where something is wrong: how often, and the first time.
struct Sighting {
  int num = 0;
  double first_s = 0;
};

std::string counted(int num, std::string_view noun) {
  return fmt::format("{} {}{}", num, noun, num == 1 ? "" : "s");
}

std::string missing_text(const std::vector<Interval>& missing) {
  double total_s = 0;
  for (const Interval& interval : missing) {
    total_s += std::max(0.0, interval.end_s - interval.begin_s);
  }
  const Interval& first = missing.front();
  return fmt::format("{:.1f} s without text, the first from {:.2f} s to {:.2f} s ({})", total_s,
                     first.begin_s, first.end_s, first.reason);
}

}  // namespace

std::vector<std::string> degradations(const Transcript& transcript) {
  std::vector<std::string> found;
  if (transcript.decode_errors > 0) {
    found.push_back(counted(transcript.decode_errors, "decode error"));
  }
  if (!transcript.missing.empty()) found.push_back(missing_text(transcript.missing));

  std::map<std::string, Sighting> sightings;
  for (const Segment& segment : transcript.segments) {
    for (const std::string& flag : segment.flags) {
      Sighting& sighting = sightings[flag];
      if (sighting.num++ == 0) sighting.first_s = segment.start_s;
    }
  }
  for (const auto& [flag, sighting] : sightings) {
    found.push_back(fmt::format("{} in {}, the first at {:.2f} s", flag,
                                counted(sighting.num, "segment"), sighting.first_s));
  }
  return found;
}

void refuse_degraded(const Transcript& transcript) {
  const std::vector<std::string> found = degradations(transcript);
  if (found.empty()) return;
  throw Error(ErrorCode::kInvalidAudio,
              "{}: the result is degraded, so nothing was written: {}; without --strict it is "
              "written as it is",
              utf8::printable(transcript.source), fmt::join(found, "; "));
}

}  // namespace steno::transcribe
