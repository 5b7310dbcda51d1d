#include "cli/ops_report.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "cli/tables.h"

namespace steno::cli {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> peak_of(const machine::Peaks& peaks, ops::ComputeType type) {
  switch (type) {
    case ops::ComputeType::kF32:
      return peaks.f32_gops;
    case ops::ComputeType::kBF16:
      return peaks.bf16_gops;
    case ops::ComputeType::kInt8:
      return peaks.int8_gops;
  }
  return std::nullopt;
}

std::optional<double> rate(double giga, double cpu_s) {
  if (giga <= 0 || cpu_s <= 0) return std::nullopt;
  return giga / cpu_s;
}

std::optional<double> share(std::optional<double> part, std::optional<double> whole) {
  if (!part || !whole || *whole <= 0) return std::nullopt;
  return *part / *whole;
}

std::string number(std::optional<double> value, double factor, int digits) {
  return value ? fmt::format("{:.{}f}", factor * *value, digits) : "-";
}

std::vector<TableRow> cells_of(const OpsReport& report) {
  std::vector<TableRow> rows = {
      {"op", "wall ms", "CPU ms", "least", "GOP/s", "% of peak", "GB/s", "% of bandwidth"}};
  for (const OpRow& row : report.rows) {
    rows.push_back({row.name, fmt::format("{:.3f}", 1e3 * row.wall_s),
                    fmt::format("{:.3f}", 1e3 * row.cpu_s),
                    fmt::format("{:.3f}", 1e3 * row.least_cpu_s), number(ops_rate(row), 1, 0),
                    number(peak_share(report, row), 100, 0), number(bytes_rate(row), 1, 1),
                    number(bandwidth_share(report, row), 100, 0)});
  }
  return rows;
}

std::string peaks_text(const OpsReport& report) {
  return fmt::format(
      "a core at most, {} at work: f32 {:.0f}, bf16 {}, int8 {} GOP/s; reads {:.1f} GB/s",
      report.num_threads, report.peaks.f32_gops, number(report.peaks.bf16_gops, 1, 0),
      number(report.peaks.int8_gops, 1, 0), report.peaks.read_gbytes);
}

Json or_null(std::optional<double> value) {
  return value ? Json(*value) : Json();
}

Json json_of(const OpsReport& report, const OpRow& row) {
  return {{"op", row.name},
          {"wall_s", row.wall_s},
          {"cpu_s", row.cpu_s},
          {"least_cpu_s", row.least_cpu_s},
          {"gops", or_null(ops_rate(row))},
          {"peak_share", or_null(peak_share(report, row))},
          {"gbytes_per_s", or_null(bytes_rate(row))},
          {"bandwidth_share", or_null(bandwidth_share(report, row))}};
}

// A bar for each row that has a share, up to the whole.
std::string bars(const OpsReport& report,
                 std::optional<double> (*share_of)(const OpsReport&, const OpRow&)) {
  constexpr double kRow = 22;
  constexpr double kNames = 300;
  constexpr double kWidth = 720;
  constexpr double kBars = 360;
  std::string svg;
  double y = 0;
  for (const OpRow& row : report.rows) {
    const auto part = share_of(report, row);
    if (!part) continue;
    const double width = kBars * std::min(*part, 1.0);
    svg += fmt::format(
        R"(<text x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/><text x="{:.1f}" y="{:.1f}">{:.0f} %</text>)"
        "\n",
        kNames - 8, y + 15, html_escaped(row.name), kNames, y + 3, width, kRow - 6,
        kNames + width + 6, y + 15, 100 * *part);
    y += kRow;
  }
  return fmt::format("<svg viewBox=\"0 0 {} {}\" role=\"img\">\n{}</svg>\n", kWidth, y, svg);
}

}  // namespace

std::optional<double> ops_rate(const OpRow& row) {
  return rate(row.giga_ops, row.cpu_s);
}

std::optional<double> bytes_rate(const OpRow& row) {
  return rate(row.giga_bytes, row.cpu_s);
}

std::optional<double> peak_share(const OpsReport& report, const OpRow& row) {
  return share(ops_rate(row), peak_of(report.peaks, row.peak));
}

std::optional<double> bandwidth_share(const OpsReport& report, const OpRow& row) {
  return share(bytes_rate(row), report.peaks.read_gbytes);
}

std::string ops_table(const OpsReport& report) {
  return fmt::format("{}; {}\n{}\n\n", report.cpu, report.backend, peaks_text(report)) +
         text_table(cells_of(report));
}

std::string ops_json(const OpsReport& report) {
  Json json = {{"version", STENO_VERSION},
               {"cpu", report.cpu},
               {"backend", report.backend},
               {"num_threads", report.num_threads},
               {"peaks",
                {{"f32_gops", report.peaks.f32_gops},
                 {"bf16_gops", or_null(report.peaks.bf16_gops)},
                 {"int8_gops", or_null(report.peaks.int8_gops)},
                 {"read_gbytes_per_s", report.peaks.read_gbytes}}}};
  json["ops"] = Json::array();
  for (const OpRow& row : report.rows) json["ops"].push_back(json_of(report, row));
  return json::print(json, 1) + '\n';
}

std::string ops_page(const OpsReport& report) {
  std::string page = html_head("steno bench ops");
  page += fmt::format("<h1>{}</h1>\n<p>steno {}, {}; {}.</p>\n", html_escaped(report.cpu),
                      STENO_VERSION, html_escaped(report.backend), peaks_text(report));
  page += html_table(cells_of(report));
  page += "<h2>Share of the arithmetic peak</h2>\n" + bars(report, peak_share);
  page += "<h2>Share of the memory bandwidth</h2>\n" + bars(report, bandwidth_share);
  return page.append(kHtmlEnd);
}

}  // namespace steno::cli
