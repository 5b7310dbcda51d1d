// `steno bench`: how right and how fast a model is on this machine.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/add_value.h"
#include "cli/bench_asr.h"
#include "cli/bench_ops.h"
#include "cli/commands.h"
#include "cli/parse_value.h"
#include "text/languages.h"

namespace steno::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  steno bench asr set.jsonl
      word and character error rates, speed and memory, a row for each set and language
  steno bench asr set.jsonl -m whisper-large-v3 --beam-size 1 --html large.html
      the same with another model, and as a page with pictures
  steno bench asr set.jsonl --profile --json run.json --price-per-hour 0.40
      time by operation, every text and its errors, what an hour of audio costs
  steno bench asr set.jsonl --sweep-threads 1,2,4 --sweep-windows 1,2,4,8 --html scaling.html
      how speed grows with threads and with windows in flight
  steno bench ops --filter 'linear int8'
      time of the kernels, with % of the machine's measured peak and bandwidth

A line of set.jsonl: {"path": "a.wav", "language": "en", "text": "What is said in it."}
Words are compared after Whisper's normaliser; docs/benchmarking.md says more.)";

void fold_languages(BenchAsrArguments& arguments, const std::string& text) {
  arguments.folded_languages.clear();
  for (const std::string_view part : split_list(text)) {
    const auto code = text::find_language_code(part);
    if (!code) {
      throw Error(ErrorCode::kUsage, "--fold-accents: {} is no language; give codes such as es,fr",
                  in_quotes(part));
    }
    arguments.folded_languages.emplace_back(*code);
  }
}

void set_price(BenchAsrArguments& arguments, const std::string& text) {
  const double price = parse_number("--price-per-hour", text);
  if (price < 0) {
    throw Error(ErrorCode::kUsage, "--price-per-hour: {} is below 0", in_quotes(text));
  }
  arguments.price_per_hour = price;
}

void set_sweep(const char* option, std::vector<int>& values, const std::string& text) {
  constexpr int kMost = 1024;
  values.clear();
  for (const std::string_view part : split_list(text)) {
    values.push_back(static_cast<int>(parse_integer(option, part, 1, kMost)));
  }
}

void add_report_options(CLI::App& command, BenchAsrArguments& a) {
  command.option_defaults()->group("Benchmark");
  command.add_option("manifest", a.manifest, "recordings and what is said in them, JSON Lines")
      ->type_name("MANIFEST")
      ->required();
  add_value(command, "--json", "FILE", "", "everything that was measured, every text as well",
            [&a](const std::string& text) { a.json = text; });
  add_value(command, "--html", "FILE", "", "a page with the table and pictures of it",
            [&a](const std::string& text) { a.html = text; });
  add_value(command, "--price-per-hour", "X", "", "of this machine: shows what an audio hour costs",
            [&a](const std::string& text) { set_price(a, text); });
  add_value(command, "--fold-accents", "LIST", "",
            "languages whose accents do not count, as es where the references have none",
            [&a](const std::string& text) { fold_languages(a, text); });
  add_value(command, "--sweep-threads", "LIST", "",
            "read everything again with each number of threads, as 1,2,4: how speed grows",
            [&a](const std::string& text) { set_sweep("--sweep-threads", a.swept_threads, text); });
  add_value(command, "--sweep-windows", "LIST", "",
            "likewise for windows in flight of each thread: what larger batches give",
            [&a](const std::string& text) { set_sweep("--sweep-windows", a.swept_windows, text); });
  command.add_flag("--detect-language", a.detects_language,
                   "have the language told by ear instead of giving the manifest's");
}

void set_seconds(BenchOpsArguments& arguments, const std::string& text) {
  constexpr double kMost = 3600;
  const double seconds = parse_number("--seconds", text);
  if (seconds < 0 || seconds > kMost) {
    throw Error(ErrorCode::kUsage, "--seconds: {} is not between 0 and 3600", in_quotes(text));
  }
  arguments.seconds_per_row = seconds;
}

void add_ops_options(CLI::App& command, BenchOpsArguments& a) {
  constexpr int kMostThreads = 1024;
  command.option_defaults()->group("Benchmark");
  add_value(command, "--threads", "N", "1", "one gives the steadiest figures",
            [&a](const std::string& text) {
              a.num_threads = static_cast<int>(parse_integer("--threads", text, 1, kMostThreads));
            });
  add_value(command, "--filter", "TEXT", "", "only ops whose name holds this, as 'linear int8'",
            [&a](const std::string& text) { a.filter = text; });
  add_value(command, "--seconds", "X", "0.4", "for each op; five samples of 20 ms at least",
            [&a](const std::string& text) { set_seconds(a, text); });
  add_value(command, "--json", "FILE", "", "the figures, unrounded",
            [&a](const std::string& text) { a.json = text; });
  add_value(command, "--html", "FILE", "", "a page with the table and pictures of it",
            [&a](const std::string& text) { a.html = text; });
}

void add_ops_command(CLI::App& bench, Action& action) {
  CLI::App* command =
      bench.add_subcommand("ops", "how near the kernels come to the machine's peak");
  command->footer(kExamples);
  const auto arguments = std::make_shared<BenchOpsArguments>();
  add_ops_options(*command, *arguments);
  command->final_callback(
      [arguments, &action] { action = [arguments] { return bench_ops(*arguments); }; });
}

}  // namespace

void add_bench_command(CLI::App& program, Action& action) {
  CLI::App* bench = program.add_subcommand("bench", "how right and how fast a model is");
  bench->require_subcommand(0, 1);  // alone it shows its help (program.cc)
  bench->footer(kExamples);

  CLI::App* asr = bench->add_subcommand("asr", "error rates and speed on recordings with texts");
  asr->footer(kExamples);
  const auto arguments = std::make_shared<BenchAsrArguments>();
  add_report_options(*asr, *arguments);
  add_bench_options(*asr, arguments->transcribe);
  asr->final_callback(
      [arguments, &action] { action = [arguments] { return bench_asr(*arguments); }; });
  add_ops_command(*bench, action);
}

}  // namespace steno::cli
