#include "cli/bench_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace steno::cli {
namespace {

constexpr std::string_view kHead = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>steno bench asr</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
svg { max-width: 100%; height: auto; }
text { font: 12px system-ui, sans-serif; fill: currentColor; }
line { stroke: currentColor; stroke-opacity: .2; }
circle, rect { fill: #2a6fdb; }
</style></head><body>
)";

// For HTML's text and attributes.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : utf8::printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// An axis from 0 to at least `most` whose steps people can read: 1, 2 or 5 times a power of ten.
struct Axis {
  explicit Axis(double most) {
    constexpr int kSteps = 5;
    const double rough = std::max(most, 1e-6) / kSteps;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    step = 10 * power;
    for (const double factor : {5.0, 2.0, 1.0}) {
      if (factor * power >= rough) step = factor * power;
    }
    end = step * std::ceil(most / step);
    if (end <= 0) end = step;
  }

  double step;
  double end;
};

struct Plot {
  static constexpr double kWidth = 720;
  static constexpr double kHeight = 380;
  static constexpr double kLeft = 60;
  static constexpr double kRight = 20;
  static constexpr double kTop = 30;
  static constexpr double kBottom = 45;

  double x(double value) const {
    return kLeft + value / horizontal.end * (kWidth - kLeft - kRight);
  }
  double y(double value) const {
    return kHeight - kBottom - value / vertical.end * (kHeight - kTop - kBottom);
  }

  Axis horizontal;
  Axis vertical;
};

std::string grid_of(const Plot& plot) {
  std::string svg;
  for (double value = 0; value <= plot.horizontal.end * 1.001; value += plot.horizontal.step) {
    svg += fmt::format(
        R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}"/><text x="{0:.1f}" y="{3:.1f}" text-anchor="middle">{4:.4g}</text>)"
        "\n",
        plot.x(value), plot.y(0), plot.y(plot.vertical.end), plot.y(0) + 18, value);
  }
  for (double value = 0; value <= plot.vertical.end * 1.001; value += plot.vertical.step) {
    svg += fmt::format(
        R"(<line x1="{0:.1f}" x2="{1:.1f}" y1="{2:.1f}" y2="{2:.1f}"/><text x="{3:.1f}" y="{4:.1f}" text-anchor="end">{5:.4g}</text>)"
        "\n",
        plot.x(0), plot.x(plot.horizontal.end), plot.y(value), plot.x(0) - 8, plot.y(value) + 4,
        value);
  }
  return svg;
}

std::string speed_against_errors(const std::vector<BenchSet>& sets) {
  double most_speed = 0;
  double most_errors = 0;
  for (const BenchSet& set : sets) {
    most_speed = std::max(most_speed, speed(set));
    most_errors = std::max(most_errors, 100 * scoring::error_rate(set.words));
  }
  const Plot plot{Axis(most_speed), Axis(most_errors)};
  std::string svg =
      fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="RTFx against WER">)"
                  "\n",
                  Plot::kWidth, Plot::kHeight);
  svg += grid_of(plot);
  svg += fmt::format(
      R"(<text x="{:.1f}" y="{:.1f}">RTFx (seconds of audio a second)</text><text x="5" y="12">WER %</text>)"
      "\n",
      plot.x(0), Plot::kHeight - 6);
  for (const BenchSet& set : sets) {
    const double errors = 100 * scoring::error_rate(set.words);
    const double x = plot.x(speed(set));
    const double y = plot.y(errors);
    const bool is_left = x < Plot::kWidth / 2;  // names stay inside
    svg += fmt::format(
        R"(<circle cx="{0:.1f}" cy="{1:.1f}" r="5"><title>{2}: WER {3:.2f} %, RTFx {4:.1f}</title></circle><text x="{5:.1f}" y="{6:.1f}" text-anchor="{7}">{2}</text>)"
        "\n",
        x, y, escaped(set.name), errors, speed(set), x + (is_left ? 8 : -8), y - 6,
        is_left ? "start" : "end");
  }
  return svg + "</svg>\n";
}

std::string time_by_stage(const std::vector<BenchStage>& stages) {
  constexpr double kRow = 22;
  constexpr double kNames = 190;
  constexpr double kBars = 400;
  double most_s = 1e-9;
  double total_s = 1e-9;
  for (const BenchStage& stage : stages) {
    most_s = std::max(most_s, stage.seconds);
    total_s += stage.seconds;
  }
  std::string svg = fmt::format(R"(<svg viewBox="0 0 {} {}" role="img" aria-label="time by stage">)"
                                "\n",
                                Plot::kWidth, kRow * static_cast<double>(stages.size()));
  double y = 0;
  for (const BenchStage& stage : stages) {
    const double width = kBars * stage.seconds / most_s;
    svg += fmt::format(
        R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/><text x="{:.1f}" y="{:.1f}">{:.2f} s, {:.1f} %</text>)"
        "\n",
        kNames - 8, y + 15, escaped(stage.name), kNames, y + 3, width, kRow - 6, kNames + width + 6,
        y + 15, stage.seconds, 100 * stage.seconds / total_s);
    y += kRow;
  }
  return svg + "</svg>\n";
}

std::string html_table(const BenchReport& report) {
  std::string html = "<table>\n";
  std::string_view cell = "th";  // the first row has the names of the columns
  for (const std::vector<std::string>& row : bench_cells(report)) {
    html += "<tr>";
    for (const std::string& text : row) html += fmt::format("<{0}>{1}</{0}>", cell, escaped(text));
    html += "</tr>\n";
    cell = "td";
  }
  return html + "</table>\n";
}

}  // namespace

std::string bench_page(const BenchReport& report) {
  std::string page(kHead);
  page += fmt::format(
      "<h1>{} {}</h1>\n<p>steno {}, {} threads; loaded in {:.2f} s, peak memory {} MiB.</p>\n",
      escaped(report.model), escaped(report.compute_type), STENO_VERSION, report.num_threads,
      report.load_s, report.peak_memory_bytes >> 20);
  page += html_table(report);
  page += "<h2>Speed against errors</h2>\n" + speed_against_errors(rows_of(report));
  if (!report.stages.empty()) {
    page += "<h2>Time by stage</h2>\n" + time_by_stage(report.stages);
  }
  return page + "</body></html>\n";
}

}  // namespace steno::cli
