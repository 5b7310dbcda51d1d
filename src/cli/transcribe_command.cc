// `steno transcribe`: files in, text out.
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/media_names.h"
#include "cli/transcribe_arguments.h"
#include "cli/transcribe_files.h"

namespace steno::cli {
namespace {

constexpr const char* kExamples = R"(Examples:
  steno transcribe talk.mp3
      the text on standard output; the language is detected
  steno transcribe -l de -f srt,json -o subtitles *.mp4
      subtitles/NAME.srt and subtitles/NAME.json for each video
  steno transcribe recordings -f json -o out --skip-existing
      every recording in a folder and below it, results in the same tree; again after a stop
  steno transcribe talk.mp4 -f srt --max-line-width 32 --max-cue-seconds 5
      subtitles of two lines of 32 columns and 5 s at most
  steno transcribe -m whisper-large-v3 --translate interview.wav
      English text of any language
  ffmpeg -i rtsp://camera/1 -t 60 -f wav - | steno transcribe -
      from a pipe
  steno transcribe -- -odd-name.wav
      a name that begins with a dash

Exit codes: 0 done, 1 failed, 2 wrong usage, 3 some files failed, 75 try again later.)";

}  // namespace

void add_transcribe_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("transcribe", "turn recordings into text");
  command->footer(std::string(kExamples) + "\n\nOf a folder, files are taken whose names end in " +
                  media_endings());
  const auto arguments = std::make_shared<TranscribeArguments>();
  add_transcribe_options(*command, *arguments);
  command->final_callback(
      [arguments, &action] { action = [arguments] { return transcribe_files(*arguments); }; });
}

}  // namespace steno::cli
