#include "cli/tables.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>

#include "base/utf8.h"
#include "output/line_breaking.h"

namespace steno::cli {
namespace {

constexpr std::string_view kHeadBegin = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
)";

constexpr std::string_view kHeadEnd = R"(<style>
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; }
th, td { padding: .25rem .75rem; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
svg { max-width: 100%; height: auto; }
text { font: 12px system-ui, sans-serif; fill: currentColor; }
line { stroke: currentColor; stroke-opacity: .2; }
circle, rect { fill: #2a6fdb; }
polyline { fill: none; stroke: #2a6fdb; stroke-width: 2; }
</style></head><body>
)";

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(output::num_columns(text));
}

}  // namespace

std::string text_table(const std::vector<TableRow>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], columns_of(row[i]));
  }
  std::string text;
  for (const TableRow& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - columns_of(row[i]), ' ');
      text += i == 0 ? row[i] + padding : "  " + padding + row[i];
    }
    text += '\n';
  }
  return text;
}

std::string html_table(const std::vector<TableRow>& rows) {
  std::string html = "<table>\n";
  std::string_view cell = "th";
  for (const TableRow& row : rows) {
    html += "<tr>";
    for (const std::string& text : row) {
      html += fmt::format("<{0}>{1}</{0}>", cell, html_escaped(text));
    }
    html += "</tr>\n";
    cell = "td";
  }
  return html + "</table>\n";
}

std::string html_escaped(std::string_view text) {
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

std::string html_head(std::string_view title) {
  return fmt::format("{}<title>{}</title>\n{}", kHeadBegin, html_escaped(title), kHeadEnd);
}

}  // namespace steno::cli
