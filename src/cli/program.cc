#include "cli/program.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/outcome.h"
#include "cli/parse_value.h"

namespace steno::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  steno transcribe talk.mp3               the text on standard output
  steno transcribe -f srt -o out *.mp4    subtitles for every video
  steno models list                       which models there are
  steno bench asr set.jsonl               how right and how fast a model is
  steno doctor                            what this machine offers

`steno COMMAND --help` says more.)";

// CLI11 shows which value a flag stands for: "--no-suppress-blank{false}".
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    constexpr std::string_view kFalse = "{false}";
    std::string name = Formatter::make_option_name(option, is_positional);
    if (const auto at = name.find(kFalse); at != std::string::npos) name.erase(at, kFalse.size());
    return name;
  }
};

}  // namespace

int run_program(int argc, char** argv) {
  CLI::App program("Speech to text in bulk.", "steno");
  program.formatter(std::make_shared<HelpFormatter>());
  program.footer(kExamples);
  program.set_version_flag("--version", "steno " STENO_VERSION);
  program.require_subcommand(0, 1);
  Action action;
  add_transcribe_command(program, action);
  add_models_command(program, action);
  add_bench_command(program, action);
  add_doctor_command(program, action);

  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    write_stdout(program.help());
    return kExitDone;
  } catch (const CLI::CallForVersion& version) {
    write_stdout(std::string(version.what()) + '\n');
    return kExitDone;
  } catch (const CLI::ParseError& error) {
    constexpr std::size_t kMaxMessageBytes = 400;  // it quotes what was typed
    throw Error(ErrorCode::kUsage, "{}; --help shows how",
                shortened(error.what(), kMaxMessageBytes));
  }
  if (!action) {
    write_stderr(program.help());
    return kExitUsage;
  }
  return action();
}

}  // namespace steno::cli
