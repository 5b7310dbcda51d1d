#include "cli/subtitle_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>

#include "base/error.h"
#include "cli/add_value.h"
#include "cli/parse_value.h"

namespace steno::cli {
namespace {

// Far more than a screen holds; 0 lifts a limit.
constexpr int kMaxCount = 10'000;
constexpr double kMaxCueS = 3600;

int parse_count(const char* option, const std::string& text) {
  return static_cast<int>(parse_integer(option, text, 0, kMaxCount));
}

double parse_cue_s(const std::string& text) {
  const double value = parse_number("--max-cue-seconds", text);
  if (value == 0 || (value >= 0.1 && value <= kMaxCueS)) return value;
  throw Error(ErrorCode::kUsage,
              "--max-cue-seconds is {}, but must be between 0.1 and {}, or 0 for no limit", value,
              kMaxCueS);
}

bool has_cues(output::Format format) {
  using output::Format;
  return format == Format::kSrt || format == Format::kVtt || format == Format::kTsv;
}

}  // namespace

void add_subtitle_options(CLI::App& command, SubtitleOptions& o) {
  command.option_defaults()->group("Subtitles (srt, vtt, tsv; each option turns word times on)");
  add_value(
      command, "--max-line-width", "N", "42",
      "columns of a line, of which a full-width character takes two; 0: no limit",
      [&o](const std::string& text) { o.max_line_width = parse_count("--max-line-width", text); });
  add_value(
      command, "--max-line-count", "N", "2", "lines of a subtitle; 0: no limit",
      [&o](const std::string& text) { o.max_line_count = parse_count("--max-line-count", text); });
  add_value(command, "--max-words-per-line", "N", "0",
            "words of a line, and one line unless --max-line-count says more; 0: no limit",
            [&o](const std::string& text) {
              o.max_words_per_line = parse_count("--max-words-per-line", text);
            });
  add_value(command, "--max-cue-seconds", "S", "7", "how long a subtitle is shown; 0: no limit",
            [&o](const std::string& text) { o.max_cue_s = parse_cue_s(text); });
}

std::optional<output::CueLimits> cue_limits(const SubtitleOptions& o,
                                            const std::vector<output::Format>& formats) {
  if (!o.max_line_width && !o.max_line_count && !o.max_words_per_line && !o.max_cue_s) {
    return std::nullopt;
  }
  if (std::ranges::none_of(formats, has_cues)) {
    throw Error(ErrorCode::kUsage,
                "--max-line-width, --max-line-count, --max-words-per-line and --max-cue-seconds "
                "shape srt, vtt and tsv; ask for one of these with -f");
  }
  output::CueLimits limits;
  limits.max_line_columns = o.max_line_width.value_or(limits.max_line_columns);
  limits.max_words_per_line = o.max_words_per_line.value_or(limits.max_words_per_line);
  limits.max_lines =
      o.max_line_count.value_or(limits.max_words_per_line > 0 ? 1 : limits.max_lines);
  limits.max_cue_s = o.max_cue_s.value_or(limits.max_cue_s);
  return limits;
}

}  // namespace steno::cli
