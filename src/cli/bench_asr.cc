#include "cli/bench_asr.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/file.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "cli/bench_page.h"
#include "cli/bench_report.h"
#include "cli/console.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "cli/recognitions.h"
#include "cli/recognizer.h"

namespace steno::cli {
namespace {

using Clock = std::chrono::steady_clock;
using transcribe::Transcript;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Of all threads of this process so far.
double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct ItemSet {
  std::string name;
  std::string language;
  std::vector<BenchItem> items;
};

// A set for each name and language, in the order in which they first appear.
std::vector<ItemSet> sets_of(std::vector<BenchItem> items) {
  std::vector<ItemSet> sets;
  for (BenchItem& item : items) {
    const std::string name = item.set.empty() ? item.language : item.set + ", " + item.language;
    auto found = std::ranges::find(sets, name, &ItemSet::name);
    if (found == sets.end()) found = sets.insert(sets.end(), {name, item.language, {}});
    found->items.push_back(std::move(item));
  }
  return sets;
}

class AsrBench {
 public:
  explicit AsrBench(const BenchAsrArguments& arguments)
      : arguments_(arguments),
        recognizer_(arguments.transcribe),
        display_(wants_progress(arguments.transcribe)) {
    report_.load_s = seconds_since(begin_);
    report_.model = arguments.transcribe.model;
    report_.num_threads = arguments.transcribe.num_threads > 0 ? arguments.transcribe.num_threads
                                                               : num_usable_cores();
    report_.price_per_hour = arguments.price_per_hour;
  }

  BenchReport run(const std::vector<ItemSet>& sets) {
    for (const ItemSet& set : sets) choose_language(set);  // refused before hours of work
    for (const ItemSet& set : sets) run_set(set);
    for (const auto& [name, time] : recognizer_.op_times()) {
      report_.stages.push_back({name, time.seconds, time.num_calls});
    }
    std::ranges::sort(report_.stages, std::ranges::greater{}, &BenchStage::seconds);
    report_.peak_memory_bytes = peak_memory_bytes();
    return std::move(report_);
  }

  int exit_code() const { return tally_.exit_code(); }

 private:
  void run_set(const ItemSet& set) {
    choose_language(set);
    std::vector<std::string> paths;
    for (const BenchItem& item : set.items) paths.push_back(item.path);
    BenchSet result;
    result.name = set.name;
    const auto begin = Clock::now();
    const double cpu_begin_s = cpu_seconds();
    std::vector<BenchFile> files = recognize(set, paths);
    result.wall_s = seconds_since(begin);
    result.cpu_s = cpu_seconds() - cpu_begin_s;
    for (BenchFile& file : files) {
      score(file, folds_accents(set.language));
      add(result, file);
      report_.files.push_back(std::move(file));
    }
    report_.sets.push_back(std::move(result));
  }

  // In the order of the manifest.
  std::vector<BenchFile> recognize(const ItemSet& set, const std::vector<std::string>& paths) {
    std::vector<BenchFile> files;
    Recognitions recognitions(recognizer_, paths, num_at_once(arguments_.transcribe), true);
    while (!recognitions.is_done()) {
      if (const auto status = recognitions.status()) display_.show(*status);
      auto recognition = recognitions.take_next(kRedrawInterval);
      if (!recognition) continue;
      display_.clear();
      BenchFile file;
      file.item = set.items[recognition->index];
      if (auto* failure = std::get_if<Failure>(&recognition->outcome)) {
        file.failure = message_about(file.item.path, failure->message);
        log::error("{}", file.failure);
        tally_.add_failure({file.item.path, *failure});
      } else {
        Transcript& transcript = std::get<Transcript>(recognition->outcome);
        file.text = std::move(transcript.text);
        file.audio_s = transcript.duration_s;
        report_.compute_type = transcript.compute_type;
        tally_.add_success();
      }
      files.push_back(std::move(file));
    }
    return files;
  }

  // The manifest's, unless the command line has one or wants it told by ear.
  void choose_language(const ItemSet& set) {
    const transcribe::Options& options = arguments_.transcribe.options;
    const bool is_chosen = !options.language.empty() || !options.allowed_languages.empty();
    if (!arguments_.detects_language && !is_chosen) recognizer_.set_language(set.language);
  }

  bool folds_accents(const std::string& language) const {
    const auto& folded = arguments_.folded_languages;
    return std::ranges::find(folded, language) != folded.end();
  }

  const BenchAsrArguments& arguments_;
  const Clock::time_point begin_ = Clock::now();  // before the model is loaded
  Recognizer recognizer_;
  ProgressDisplay display_;
  Tally tally_;
  BenchReport report_;
};

}  // namespace

int bench_asr(const BenchAsrArguments& arguments) {
  if (arguments.transcribe.quiet) log::set_level(std::max(log::level(), log::Level::kError));
  const std::vector<ItemSet> sets = sets_of(parse_manifest(
      file::read(arguments.manifest), arguments.manifest, arguments.transcribe.options.language));
  AsrBench bench(arguments);
  const BenchReport report = bench.run(sets);
  write_stdout(bench_table(report));
  if (arguments.json) file::write_atomically(*arguments.json, bench_json(report));
  if (arguments.html) file::write_atomically(*arguments.html, bench_page(report));
  return bench.exit_code();
}

}  // namespace steno::cli
