#include "cli/recognizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "audio/source.h"
#include "base/thread_pool.h"
#include "cli/find_inputs.h"
#include "ops/make_ops.h"
#include "weights/model_cache.h"

namespace steno::cli {
namespace {

transcribe::Setup setup_of(const TranscribeArguments& arguments) {
  transcribe::Setup setup;
  setup.model = weights::find_model(arguments.model);
  setup.compute_type = arguments.compute_type.value_or(ops::auto_compute_type());
  setup.window_dtype = arguments.kv_dtype.value_or(ops::auto_kv_dtype(setup.compute_type));
  setup.num_threads = arguments.num_threads > 0 ? arguments.num_threads : num_usable_cores();
  // Every window of a lane is read at the same time, with all of its beams.
  setup.max_rows =
      std::max(setup.max_windows * arguments.options.beam_size, arguments.options.best_of);
  setup.profile = arguments.profile;
  return setup;
}

}  // namespace

Recognizer::Recognizer(const TranscribeArguments& arguments)
    : options_(arguments.options),
      transcriber_(transcribe::Transcriber::load(setup_of(arguments))) {
  // Subtitles are shaped by words where the model tells their times, else by the letters.
  if (arguments.cue_limits && !transcriber_->model().can_align) options_.word_timestamps = false;
  transcriber_->check(options_);
}

transcribe::Transcript Recognizer::run(const std::string& input,
                                       const transcribe::OnProgress& on_progress) {
  const audio::Source source =
      input == kStdin ? audio::Source::stdin_stream() : audio::Source::file(input);
  return transcriber_->run(source, options_, on_progress);
}

void Recognizer::set_language(const std::string& language) {
  options_.language = language;
  transcriber_->check(options_);
}

std::string Recognizer::profile_report() const {
  using Row = std::pair<std::string, ops::OpTime>;
  const std::map<std::string, ops::OpTime> times = op_times();
  std::vector<Row> rows(times.begin(), times.end());
  std::ranges::sort(rows,
                    [](const Row& a, const Row& b) { return a.second.seconds > b.second.seconds; });
  double total_s = 0;
  for (const auto& [op, time] : rows) total_s += time.seconds;

  std::string report;
  for (const auto& [op, time] : rows) {
    report += fmt::format("{:<24} {:9.3f} s {:5.1f}% {:9} calls\n", op, time.seconds,
                          100 * time.seconds / std::max(total_s, 1e-9), time.num_calls);
  }
  return report;
}

}  // namespace steno::cli
