#include "cli/bench_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/bench_page.h"

namespace steno::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

BenchFile file_of(const std::string& language, const std::string& reference,
                  const std::string& text, bool folds_accents = false) {
  BenchFile file;
  file.item = {"id", "a.wav", language, "", reference};
  file.text = text;
  file.audio_s = 30;
  score(file, folds_accents);
  return file;
}

// Two sets: 4 words with 1 wrong in 2 s, 2 words without a text that can be read in 1 s.
BenchReport small_report() {
  BenchReport report;
  report.model = "tiny <b>";
  report.compute_type = "int8";
  report.num_threads = 2;
  report.load_s = 0.5;
  report.peak_memory_bytes = std::int64_t{300} << 20;
  BenchSet first;
  first.name = "clean, en";
  first.wall_s = 2;
  first.cpu_s = 4;
  report.files.push_back(file_of("en", "I can't sing.", "I cannot sing"));
  add(first, report.files.back());
  BenchSet second;
  second.name = "de";
  second.wall_s = 1;
  BenchFile failed = file_of("de", "Guten Tag", "");
  failed.failure = "a.wav: no audio";
  failed.audio_s = 0;
  add(second, failed);
  report.files.push_back(failed);
  report.sets = {first, second};
  return report;
}

TEST(Score, EnglishHasItsOwnNormaliser) {
  EXPECT_EQ(scoring::num_errors(file_of("en", "It's twenty-one!", "it is 21").words), 0);
  EXPECT_EQ(scoring::num_errors(file_of("de", "It's", "it is").words), 1);
}

TEST(Score, AccentsCountUnlessFolded) {
  EXPECT_EQ(scoring::num_errors(file_of("es", "Está aquí", "esta aqui").words), 2);
  EXPECT_EQ(scoring::num_errors(file_of("es", "Está aquí", "esta aqui", true).words), 0);
}

TEST(Score, LettersAreWordsWhereScriptsHaveNoBlanks) {
  const BenchFile file = file_of("zh", "你好世界", "你 好。界");
  EXPECT_EQ(scoring::num_reference(file.words), 4);
  EXPECT_EQ(scoring::num_errors(file.words), 1);
}

TEST(BenchReport, SetsAddUp) {
  const BenchSet total = total_of(small_report().sets);
  EXPECT_EQ(total.num_files, 2);
  EXPECT_EQ(total.num_failed, 1);
  EXPECT_EQ(total.audio_s, 30);
  EXPECT_EQ(total.wall_s, 3);
  EXPECT_EQ(scoring::num_reference(total.words), 6);
  EXPECT_EQ(total.words.deletions, 3);  // "can not" -> "cannot", and what failed
  EXPECT_EQ(total.words.substitutions, 1);
  EXPECT_DOUBLE_EQ(speed(total), 10);
}

TEST(BenchReport, CostIsThePriceOverTheSpeed) {
  BenchReport report = small_report();
  EXPECT_EQ(cost_per_audio_hour(report, report.sets[0]), std::nullopt);
  report.price_per_hour = 0.6;
  EXPECT_DOUBLE_EQ(cost_per_audio_hour(report, report.sets[0]).value(), 0.04);
  EXPECT_EQ(cost_per_audio_hour(report, report.sets[1]), std::nullopt);  // nothing was read
}

TEST(BenchReport, Table) {
  BenchReport report = small_report();
  report.price_per_hour = 0.6;
  report.stages = {{"linear", 3, 12}, {"softmax", 1, 4}};
  EXPECT_EQ(bench_table(report),
            "set        files  failed  words   WER %   CER %  S/D/I  audio s  wall s  CPU s  RTFx"
            "   cost/h\n"
            "clean, en      1       0      4   50.00    7.14  1/1/0     30.0     2.0    4.0  15.0"
            "  0.04000\n"
            "de             1       1      2  100.00  100.00  0/2/0      0.0     1.0    0.0   0.0"
            "        -\n"
            "all            2       1      6   66.67   43.48  1/3/0     30.0     3.0    4.0  10.0"
            "  0.06000\n"
            "\ntiny <b> int8, 2 threads: loaded in 0.50 s, peak memory 300 MiB\n"
            "\nstage        s     %  calls\n"
            "linear   3.000  75.0     12\n"
            "softmax  1.000  25.0      4\n");
}

TEST(BenchReport, WideNamesKeepTheColumns) {
  BenchReport report;
  report.sets.resize(2);
  report.sets[0].name = "普通话, zh";
  report.sets[1].name = "naïve";
  const std::string table = bench_table(report);
  EXPECT_THAT(table, HasSubstr("\n普通话, zh      0 "));
  EXPECT_THAT(table, HasSubstr("\nnaïve           0 "));
}

TEST(BenchReport, JsonHoldsEverything) {
  const auto json = nlohmann::json::parse(bench_json(small_report()));
  EXPECT_EQ(json.at("model"), "tiny <b>");
  EXPECT_EQ(json.at("sets").size(), 2u);
  EXPECT_EQ(json.at("sets").at(0).at("rtfx"), 15);
  EXPECT_EQ(json.at("all").at("words").at("reference"), 6);
  EXPECT_EQ(json.at("files").at(0).at("text"), "I cannot sing");
  EXPECT_EQ(json.at("files").at(0).at("words").at("rate"), 0.5);
  EXPECT_FALSE(json.at("files").at(0).contains("failure"));
  EXPECT_EQ(json.at("files").at(1).at("failure"), "a.wav: no audio");
}

TEST(BenchPage, ShowsEachRowAndStageAndEscapesNames) {
  BenchReport report = small_report();
  report.sets[1].name = "<script>\"&\"";
  report.stages = {{"linear", 3, 12}};
  const std::string page = bench_page(report);
  EXPECT_THAT(page, HasSubstr("<title>clean, en: WER 50.00 %, RTFx 15.0</title>"));
  EXPECT_THAT(page, HasSubstr("<td>&lt;script&gt;&quot;&amp;&quot;</td>"));
  EXPECT_THAT(page, HasSubstr("3.00 s, 100.0 %"));
  EXPECT_THAT(page, Not(HasSubstr("<script>")));
  EXPECT_THAT(page, Not(HasSubstr("<b>")));
  EXPECT_THAT(page, Not(HasSubstr("http")));  // it loads nothing
  EXPECT_THAT(page, Not(HasSubstr("nan")));
}

TEST(BenchPage, TakesAReportOfNothing) {
  BenchReport report;
  report.sets.resize(1);
  const std::string page = bench_page(report);
  EXPECT_THAT(page, Not(HasSubstr("nan")));
  EXPECT_THAT(page, Not(HasSubstr("inf")));
}

}  // namespace
}  // namespace steno::cli
