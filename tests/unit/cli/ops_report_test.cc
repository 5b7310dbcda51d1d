#include "cli/ops_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "ops/make_ops.h"

namespace steno::cli {
namespace {

using ops::ComputeType;
using testing::HasSubstr;
using testing::Not;

OpsReport small_report() {
  OpsReport report;
  report.cpu = "CPU <9>";
  report.backend = "cpu v2";
  report.num_threads = 2;
  report.peaks = {100, std::nullopt, 400, 10};
  report.rows = {{"linear int8", 2, 0.1, ComputeType::kInt8, 0.005, 0.01, 0.008},
                 {"linear bf16", 2, 0, ComputeType::kBF16, 0.02, 0.04, 0.04},
                 {"add", 0, 0.05, ComputeType::kF32, 0.004, 0.004, 0.003}};
  return report;
}

TEST(OpsReport, RatesAreOfACpuSecond) {
  const OpsReport report = small_report();
  EXPECT_DOUBLE_EQ(ops_rate(report.rows[0]).value(), 200);
  EXPECT_DOUBLE_EQ(bytes_rate(report.rows[0]).value(), 10);
  EXPECT_EQ(bytes_rate(report.rows[1]), std::nullopt);
  EXPECT_EQ(ops_rate(report.rows[2]), std::nullopt);
}

TEST(OpsReport, SharesAreOfThePeakOfTheType) {
  const OpsReport report = small_report();
  EXPECT_DOUBLE_EQ(peak_share(report, report.rows[0]).value(), 0.5);
  EXPECT_EQ(peak_share(report, report.rows[1]), std::nullopt);  // no such instruction
  EXPECT_DOUBLE_EQ(bandwidth_share(report, report.rows[2]).value(), 1.25);
}

TEST(OpsReport, Table) {
  EXPECT_EQ(ops_table(small_report()),
            "CPU <9>; cpu v2\n"
            "a core at most, 2 at work: f32 100, bf16 -, int8 400 GOP/s; reads 10.0 GB/s\n\n"
            "op           wall ms  CPU ms   least  GOP/s  % of peak  GB/s  % of bandwidth\n"
            "linear int8    5.000  10.000   8.000    200         50  10.0             100\n"
            "linear bf16   20.000  40.000  40.000     50          -     -               -\n"
            "add            4.000   4.000   3.000      -          -  12.5             125\n");
}

TEST(OpsReport, JsonHasNullWhereNothingIsKnown) {
  const auto json = nlohmann::json::parse(ops_json(small_report()));
  EXPECT_EQ(json.at("peaks").at("int8_gops"), 400);
  EXPECT_TRUE(json.at("peaks").at("bf16_gops").is_null());
  EXPECT_EQ(json.at("ops").size(), 3u);
  EXPECT_EQ(json.at("ops").at(0).at("peak_share"), 0.5);
  EXPECT_TRUE(json.at("ops").at(1).at("peak_share").is_null());
}

TEST(OpsReport, PageHasABarForEachShare) {
  const std::string page = ops_page(small_report());
  EXPECT_THAT(page, HasSubstr("<h1>CPU &lt;9&gt;</h1>"));
  EXPECT_THAT(page, HasSubstr("width=\"180.0\""));  // half of the peak
  EXPECT_THAT(page, HasSubstr("width=\"360.0\""));  // no bar is longer than the whole
  EXPECT_THAT(page, HasSubstr(">125 %<"));
  EXPECT_THAT(page, Not(HasSubstr("http")));
}

TEST(VisitOps, FilterChoosesByNameAndEveryCaseRuns) {
  const auto ops = ops::make_cpu_ops(1);
  std::set<std::string> names;
  visit_ops(*ops, "1x224, pages of 16", [&](const OpCase& op) {
    op.call();
    names.insert(op.name);
    EXPECT_DOUBLE_EQ(op.giga_ops, 4e-9 * 224 * 512);
  });
  EXPECT_EQ(names, (std::set<std::string>{"attention_paged i8 1x224, pages of 16",
                                          "attention_paged bf16 1x224, pages of 16",
                                          "attention_paged f32 1x224, pages of 16"}));
}

}  // namespace
}  // namespace steno::cli
