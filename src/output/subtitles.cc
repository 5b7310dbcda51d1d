#include "output/subtitles.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "output/cues.h"
#include "output/transcript_cues.h"

namespace steno::output {
namespace {

// "-->" inside a cue would be read as a line of times.
// TRAP: one pass over "--->" leaves "-->" behind, as Python's replace does in the reference.
std::string without_arrows(std::string text) {
  constexpr std::string_view kArrow = "-->";
  for (std::size_t at = text.find(kArrow); at != std::string::npos; at = text.find(kArrow)) {
    text.erase(at, 1);
  }
  return text;
}

// As a player shows it: its lines, the speaker's channel before the first.
std::string shown(const Cue& cue) {
  std::string text = channel_label(cue.channel);
  for (std::size_t i = 0; i < cue.lines.size(); ++i) {
    if (i > 0) text += '\n';
    text += without_arrows(cue.lines[i]);
  }
  return text;
}

}  // namespace

std::string render_txt(const transcribe::Transcript& transcript) {
  std::string out;
  for (const Cue& cue : segment_cues(transcript)) {
    out += channel_label(cue.channel) + cue.text + '\n';
  }
  return out;
}

std::string render_srt(const transcribe::Transcript& transcript,
                       const std::optional<CueLimits>& limits) {
  std::string out;
  int index = 1;
  for (const Cue& cue : subtitle_cues(transcript, limits)) {
    out += fmt::format("{}\n{} --> {}\n{}\n\n", index++, srt_time(cue.start_ms),
                       srt_time(cue.end_ms), shown(cue));
  }
  return out;
}

std::string render_vtt(const transcribe::Transcript& transcript,
                       const std::optional<CueLimits>& limits) {
  std::string out = "WEBVTT\n\n";
  for (const Cue& cue : subtitle_cues(transcript, limits)) {
    out +=
        fmt::format("{} --> {}\n{}\n\n", vtt_time(cue.start_ms), vtt_time(cue.end_ms), shown(cue));
  }
  return out;
}

std::string render_tsv(const transcribe::Transcript& transcript,
                       const std::optional<CueLimits>& limits) {
  std::string out = "start\tend\ttext\n";
  for (Cue& cue : subtitle_cues(transcript, limits)) {
    std::ranges::replace(cue.text, '\t', ' ');
    out += fmt::format("{}\t{}\t{}{}\n", cue.start_ms, cue.end_ms, channel_label(cue.channel),
                       cue.text);
  }
  return out;
}

}  // namespace steno::output
