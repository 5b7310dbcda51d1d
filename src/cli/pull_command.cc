// `steno models pull`: fetches models from the Hugging Face hub.   Path: here -> hub/pull.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/outcome.h"
#include "cli/progress.h"
#include "hub/pull.h"

namespace steno::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kExamples = R"TEXT(Examples:
  steno models pull large-v3
      openai/whisper-large-v3; `steno models list` shows the short names
  steno models pull Systran/faster-whisper-small
      any Whisper on the hub, as safetensors or CTranslate2
  steno models pull org/name@revision
      a branch, a tag or a commit
  steno transcribe -m "$(steno models pull -q base)" talk.mp3
      the folder is printed on standard output

An interrupted pull goes on where it ended. A model that is there costs no network call.
HF_TOKEN is for gated models, HF_ENDPOINT for a mirror, HF_HUB_CACHE for another folder.)TEXT";

struct PullArguments {
  std::vector<std::string> models;
  bool looks_for_newer = false;
  bool is_offline = false;
  bool quiet = false;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// "model.safetensors  42%  410/967 MB  12.3 MB/s  ETA 0:45"
std::string line_of(const hub::PullProgress& p, double wall_s) {
  constexpr double kMb = 1e6;
  const double done_mb = static_cast<double>(p.bytes_done) / kMb;
  const double total_mb = static_cast<double>(p.bytes_total) / kMb;
  const double mb_per_s = wall_s > 0 ? done_mb / wall_s : 0;
  const std::string eta = mb_per_s > 0 ? clock_text((total_mb - done_mb) / mb_per_s) : "-";
  return fmt::format("{}  {:.0f}%  {:.0f}/{:.0f} MB  {:.1f} MB/s  ETA {}", utf8::printable(p.file),
                     total_mb > 0 ? 100 * done_mb / total_mb : 100, done_mb, total_mb, mb_per_s,
                     eta);
}

// The progress of one model, on standard error: a line rewritten in place when it is a terminal.
class PullDisplay {
 public:
  PullDisplay(std::string name, bool quiet)
      : name_(std::move(name)), quiet_(quiet), is_terminal_(::isatty(STDERR_FILENO) == 1) {}
  ~PullDisplay() { clear(); }
  PullDisplay(const PullDisplay&) = delete;
  PullDisplay& operator=(const PullDisplay&) = delete;

  void show(const hub::PullProgress& progress) {
    const auto now = Clock::now();
    if (quiet_ || !is_terminal_ || now < next_draw_) return;
    next_draw_ = now + std::chrono::milliseconds(100);
    write_stderr(fmt::format("\r{}: {}\x1b[K", name_, line_of(progress, seconds_since(begin_))));
    is_shown_ = true;
  }

  void note(const std::string& text) {
    clear();
    if (!quiet_) write_stderr(fmt::format("steno: {}: {}\n", name_, utf8::printable(text)));
  }

  void finish(const hub::Pulled& pulled) {
    note(pulled.was_there ? std::string("is there already")
                          : fmt::format("fetched {:.1f} MB in {:.1f} s, revision {:.12}",
                                        static_cast<double>(pulled.fetched_bytes) / 1e6,
                                        seconds_since(begin_), pulled.commit));
  }

 private:
  void clear() {
    if (is_shown_) write_stderr("\r\x1b[K");
    is_shown_ = false;
  }

  std::string name_;
  bool quiet_;
  bool is_terminal_;
  bool is_shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_draw_{};
};

void pull_one(const std::string& name, const hub::Settings& settings,
              const PullArguments& arguments) {
  const hub::ModelId id = hub::parse_model_id(name);
  PullDisplay display(id.text(), arguments.quiet);
  hub::PullOptions options;
  options.looks_for_newer = arguments.looks_for_newer;
  options.on_progress = [&](const hub::PullProgress& progress) { display.show(progress); };
  options.on_note = [&](const std::string& text) { display.note(text); };
  const hub::Pulled pulled = hub::pull(id, settings, options);
  display.finish(pulled);
  write_stdout(pulled.folder.string() + '\n');
}

int pull_all(const PullArguments& arguments) {
  hub::Settings settings = hub::settings_from_environment();
  settings.is_offline |= arguments.is_offline;
  for (const std::string& name : arguments.models) pull_one(name, settings, arguments);
  return kExitDone;
}

}  // namespace

void add_pull_command(CLI::App& models, Action& action) {
  CLI::App* command = models.add_subcommand("pull", "fetch models from the Hugging Face hub");
  command->footer(kExamples);
  const auto arguments = std::make_shared<PullArguments>();
  command->add_option("models", arguments->models, "org/name, org/name@revision or a short name")
      ->type_name("NAME")
      ->required();
  command->add_flag("--update", arguments->looks_for_newer,
                    "look for a newer revision of a model that is there");
  command->add_flag("--offline", arguments->is_offline, "no network: only say what is missing");
  command->add_flag("-q,--quiet", arguments->quiet, "only errors on stderr");
  command->final_callback(
      [arguments, &action] { action = [arguments] { return pull_all(*arguments); }; });
}

}  // namespace steno::cli
