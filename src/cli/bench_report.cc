#include "cli/bench_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json.h"
#include "base/utf8.h"
#include "output/line_breaking.h"
#include "scoring/basic_normalizer.h"
#include "scoring/english_normalizer.h"

namespace steno::cli {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::string>;

// Those that Whisper's authors score by characters (Radford et al. 2022, 4.1), and Cantonese and
// Khmer, which are written alike.
bool has_no_blanks(std::string_view language) {
  constexpr std::array<std::string_view, 7> kCodes = {"zh", "ja", "th", "lo", "my", "yue", "km"};
  return std::ranges::find(kCodes, language) != kCodes.end();
}

std::string normalized(const BenchItem& item, std::string_view text, bool folds_accents) {
  if (item.language == "en") return scoring::normalize_english(text);
  return scoring::normalize_basic(
      text, {.remove_diacritics = folds_accents, .split_letters = has_no_blanks(item.language)});
}

std::string edits_text(const scoring::Edits& e) {
  return fmt::format("{}/{}/{}", e.substitutions, e.deletions, e.insertions);
}

std::string percent(double rate) {
  return fmt::format("{:.2f}", 100 * rate);
}

Row header_of(const BenchReport& report) {
  Row row = {"set",   "files",   "failed", "words", "WER %", "CER %",
             "S/D/I", "audio s", "wall s", "CPU s", "RTFx"};
  if (report.price_per_hour) row.push_back("cost/h");
  return row;
}

Row row_of(const BenchReport& report, const BenchSet& set) {
  Row row = {utf8::printable(set.name),
             std::to_string(set.num_files),
             std::to_string(set.num_failed),
             std::to_string(scoring::num_reference(set.words)),
             percent(scoring::error_rate(set.words)),
             percent(scoring::error_rate(set.characters)),
             edits_text(set.words),
             fmt::format("{:.1f}", set.audio_s),
             fmt::format("{:.1f}", set.wall_s),
             fmt::format("{:.1f}", set.cpu_s),
             fmt::format("{:.1f}", speed(set))};
  if (report.price_per_hour) {
    const auto cost = cost_per_audio_hour(report, set);
    row.push_back(cost ? fmt::format("{:.5f}", *cost) : "-");
  }
  return row;
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(output::num_columns(text));
}

// Names to the left, numbers to the right.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - columns_of(row[i]), ' ');
      text += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    text += '\n';
  }
  return text;
}

Json json_of(const scoring::Edits& e) {
  return {{"reference", scoring::num_reference(e)},
          {"hits", e.hits},
          {"substitutions", e.substitutions},
          {"deletions", e.deletions},
          {"insertions", e.insertions},
          {"rate", scoring::error_rate(e)}};
}

Json json_of(const BenchReport& report, const BenchSet& set) {
  Json json = {{"set", set.name},
               {"num_files", set.num_files},
               {"num_failed", set.num_failed},
               {"audio_s", set.audio_s},
               {"wall_s", set.wall_s},
               {"cpu_s", set.cpu_s},
               {"rtfx", speed(set)},
               {"words", json_of(set.words)},
               {"characters", json_of(set.characters)}};
  if (const auto cost = cost_per_audio_hour(report, set)) json["cost_per_audio_hour"] = *cost;
  return json;
}

Json json_of(const BenchFile& file) {
  Json json = {{"id", file.item.id},
               {"set", file.item.set},
               {"language", file.item.language},
               {"audio_s", file.audio_s},
               {"reference", file.item.reference},
               {"text", file.text},
               {"words", json_of(file.words)},
               {"characters", json_of(file.characters)}};
  if (!file.failure.empty()) json["failure"] = file.failure;
  return json;
}

}  // namespace

void score(BenchFile& file, bool folds_accents) {
  const std::string reference = normalized(file.item, file.item.reference, folds_accents);
  const std::string text = normalized(file.item, file.text, folds_accents);
  file.words = scoring::word_edits(reference, text);
  file.characters = scoring::character_edits(reference, text);
}

void add(BenchSet& set, const BenchFile& file) {
  ++set.num_files;
  if (!file.failure.empty()) ++set.num_failed;
  set.audio_s += file.audio_s;
  set.words += file.words;
  set.characters += file.characters;
}

BenchSet total_of(const std::vector<BenchSet>& sets) {
  BenchSet total;
  total.name = "all";
  for (const BenchSet& set : sets) {
    total.num_files += set.num_files;
    total.num_failed += set.num_failed;
    total.audio_s += set.audio_s;
    total.wall_s += set.wall_s;
    total.cpu_s += set.cpu_s;
    total.words += set.words;
    total.characters += set.characters;
  }
  return total;
}

double speed(const BenchSet& set) {
  return set.wall_s > 0 ? set.audio_s / set.wall_s : 0;
}

std::optional<double> cost_per_audio_hour(const BenchReport& report, const BenchSet& set) {
  if (!report.price_per_hour || speed(set) <= 0) return std::nullopt;
  return *report.price_per_hour / speed(set);
}

std::vector<BenchSet> rows_of(const BenchReport& report) {
  std::vector<BenchSet> rows = report.sets;
  if (rows.size() > 1) rows.push_back(total_of(report.sets));
  return rows;
}

std::vector<std::vector<std::string>> bench_cells(const BenchReport& report) {
  std::vector<Row> rows = {header_of(report)};
  for (const BenchSet& set : rows_of(report)) rows.push_back(row_of(report, set));
  return rows;
}

std::string bench_table(const BenchReport& report) {
  std::string text = aligned(bench_cells(report));
  text += fmt::format("\n{} {}, {} threads: loaded in {:.2f} s, peak memory {} MiB\n",
                      utf8::printable(report.model), report.compute_type, report.num_threads,
                      report.load_s, report.peak_memory_bytes >> 20);
  if (report.stages.empty()) return text;
  double total_s = 0;
  for (const BenchStage& stage : report.stages) total_s += stage.seconds;
  std::vector<Row> rows = {{"stage", "s", "%", "calls"}};
  for (const BenchStage& stage : report.stages) {
    rows.push_back({stage.name, fmt::format("{:.3f}", stage.seconds),
                    fmt::format("{:.1f}", 100 * stage.seconds / std::max(total_s, 1e-9)),
                    std::to_string(stage.num_calls)});
  }
  return text + '\n' + aligned(rows);
}

std::string bench_json(const BenchReport& report) {
  Json json = {{"version", STENO_VERSION},
               {"model", report.model},
               {"compute_type", report.compute_type},
               {"num_threads", report.num_threads},
               {"load_s", report.load_s},
               {"peak_memory_bytes", report.peak_memory_bytes}};
  if (report.price_per_hour) json["price_per_hour"] = *report.price_per_hour;
  json["sets"] = Json::array();
  for (const BenchSet& set : report.sets) json["sets"].push_back(json_of(report, set));
  json["all"] = json_of(report, total_of(report.sets));
  json["stages"] = Json::array();
  for (const BenchStage& stage : report.stages) {
    json["stages"].push_back(
        {{"name", stage.name}, {"seconds", stage.seconds}, {"num_calls", stage.num_calls}});
  }
  json["files"] = Json::array();
  for (const BenchFile& file : report.files) json["files"].push_back(json_of(file));
  return json::print(json, 1) + '\n';
}

}  // namespace steno::cli
