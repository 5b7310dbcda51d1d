// Rows of text as a table: for a terminal, or in a page of HTML that loads nothing.
// Path: bench_report, bench_page, bench_ops -> here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace steno::cli {

using TableRow = std::vector<std::string>;

// The first row has the names of the columns. Names to the left, numbers to the right. Requires at
// least one row, all of the same size.
std::string text_table(const std::vector<TableRow>& rows);

std::string html_table(const std::vector<TableRow>& rows);

// For HTML's text and attributes.
std::string html_escaped(std::string_view text);

// A page is this, what it shows, and kHtmlEnd.
std::string html_head(std::string_view title);
inline constexpr std::string_view kHtmlEnd = "</body></html>\n";

}  // namespace steno::cli
