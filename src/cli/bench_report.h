// What a benchmark found, as plain data, and its two forms for a terminal and for programs.
// Path: cli/bench_asr -> here, cli/bench_page.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/bench_manifest.h"
#include "scoring/error_rates.h"

namespace steno::cli {

struct BenchFile {
  BenchItem item;
  std::string text;     // what was recognised
  std::string failure;  // why nothing was; empty: it went well
  double audio_s = 0;
  scoring::Edits words;
  scoring::Edits characters;
};

// One row: the files of a set, read together, after the row before.
struct BenchSet {
  std::string name;
  int num_files = 0;
  int num_failed = 0;  // of them; all of their words count as deleted
  double audio_s = 0;  // of the others
  double wall_s = 0;
  double cpu_s = 0;  // of all threads
  scoring::Edits words;
  scoring::Edits characters;
};

struct BenchStage {
  std::string name;
  double seconds = 0;  // of all threads that run stages
  std::int64_t num_calls = 0;
};

struct BenchReport {
  std::string model;
  std::string compute_type;
  int num_threads = 0;
  double load_s = 0;
  std::int64_t peak_memory_bytes = 0;
  std::optional<double> price_per_hour;  // of the machine, in any currency
  std::vector<BenchSet> sets;
  std::vector<BenchStage> stages;  // the longest first; empty unless they were measured
  std::vector<BenchFile> files;
};

// The words and characters that were wrong, after Whisper's normaliser for the language: English
// has one of its own; where a script puts no blanks between words, each letter counts as one.
// `folds_accents`: letters count without their accents (English: always).
void score(BenchFile& file, bool folds_accents);

void add(BenchSet& set, const BenchFile& file);

// Every set added up.
BenchSet total_of(const std::vector<BenchSet>& sets);

// Seconds of audio for each second of time; 0 where nothing was measured.
double speed(const BenchSet& set);

// Of the machine, for an hour of audio; absent without a price or without a speed.
std::optional<double> cost_per_audio_hour(const BenchReport& report, const BenchSet& set);

// The sets, and all of them together where there are several.
std::vector<BenchSet> rows_of(const BenchReport& report);

// The table as texts: the names of the columns, then a row each.
std::vector<std::vector<std::string>> bench_cells(const BenchReport& report);

std::string bench_table(const BenchReport& report);
std::string bench_json(const BenchReport& report);

}  // namespace steno::cli
