#include "output/subtitles.h"

#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "output/cues.h"

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

}  // namespace

std::string render_txt(const transcribe::Transcript& transcript) {
  std::string out;
  for (const Cue& cue : make_cues(transcript.segments)) out += cue.text + '\n';
  return out;
}

std::string render_srt(const transcribe::Transcript& transcript) {
  std::string out;
  int index = 1;
  for (const Cue& cue : make_cues(transcript.segments)) {
    out += fmt::format("{}\n{} --> {}\n{}\n\n", index++, srt_time(cue.start_ms),
                       srt_time(cue.end_ms), without_arrows(cue.text));
  }
  return out;
}

std::string render_vtt(const transcribe::Transcript& transcript) {
  std::string out = "WEBVTT\n\n";
  for (const Cue& cue : make_cues(transcript.segments)) {
    out += fmt::format("{} --> {}\n{}\n\n", vtt_time(cue.start_ms), vtt_time(cue.end_ms),
                       without_arrows(cue.text));
  }
  return out;
}

std::string render_tsv(const transcribe::Transcript& transcript) {
  std::string out = "start\tend\ttext\n";
  for (Cue& cue : make_cues(transcript.segments)) {
    std::ranges::replace(cue.text, '\t', ' ');
    out += fmt::format("{}\t{}\t{}\n", cue.start_ms, cue.end_ms, cue.text);
  }
  return out;
}

}  // namespace steno::output
