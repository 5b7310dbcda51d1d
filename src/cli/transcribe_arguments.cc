#include "cli/transcribe_arguments.h"

#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>

#include "base/error.h"
#include "cli/add_value.h"
#include "cli/parse_value.h"
#include "cli/subtitle_options.h"
#include "text/languages.h"

namespace steno::cli {
namespace {

constexpr int kMaxThreads = 1024;
constexpr int kMaxTokenId = 1'000'000;

void add_format(std::vector<output::Format>& formats, output::Format format) {
  if (std::ranges::find(formats, format) == formats.end()) formats.push_back(format);
}

std::vector<output::Format> parse_formats(const std::string& text) {
  std::vector<output::Format> formats;
  for (const std::string_view part : split_list(text)) {
    if (part == "all") {
      for (const output::Format format : output::kAllFormats) add_format(formats, format);
    } else if (const auto format = output::find_format(part)) {
      add_format(formats, *format);
    } else {
      throw Error(ErrorCode::kUsage,
                  "--format: {} is none of txt, json, verbose_json, srt, vtt, tsv, all",
                  in_quotes(part));
    }
  }
  if (formats.empty()) throw Error(ErrorCode::kUsage, "--format: give at least one format");
  return formats;
}

std::string parse_language_code(std::string_view text) {
  if (const auto code = text::find_language_code(text)) return std::string(*code);
  std::vector<std::string_view> codes;
  for (const text::Language& language : text::languages()) codes.push_back(language.code);
  throw Error(ErrorCode::kUsage,
              "--language: {} is not known; give auto, an English name or one of: {}",
              in_quotes(text), fmt::join(codes, " "));
}

// One language, or several to choose among.
void parse_language(const std::string& text, transcribe::Options& o) {
  o.language.clear();
  o.allowed_languages.clear();
  if (text == "auto") return;
  for (const std::string_view part : split_list(text)) {
    o.allowed_languages.push_back(parse_language_code(part));
  }
  if (o.allowed_languages.empty()) parse_language_code(text);  // says what is wrong
  if (o.allowed_languages.size() == 1) o.language = o.allowed_languages.front();
}

std::optional<ops::ComputeType> parse_compute_type(const std::string& text) {
  if (text == "auto") return std::nullopt;
  const auto type = ops::find_compute_type(text);
  if (!type) {
    throw Error(ErrorCode::kUsage, "--compute-type: {} is none of auto, f32, bf16, int8",
                in_quotes(text));
  }
  return type;
}

std::optional<DType> parse_kv_dtype(const std::string& text) {
  if (text == "auto") return std::nullopt;
  if (text == "f32") return DType::kF32;
  if (text == "bf16") return DType::kBF16;
  if (text == "int8") return DType::kI8;
  if (text == "fp8_e4m3") {
    throw Error(
        ErrorCode::kUsage,
        "--kv-dtype: fp8_e4m3 needs a CUDA backend, which this build lacks; give auto, f32, "
        "bf16 or int8");
  }
  throw Error(ErrorCode::kUsage, "--kv-dtype: {} is none of auto, f32, bf16, int8",
              in_quotes(text));
}

bool is_translate(const std::string& task) {
  if (task != "transcribe" && task != "translate") {
    throw Error(ErrorCode::kUsage, "--task: {} is neither transcribe nor translate",
                in_quotes(task));
  }
  return task == "translate";
}

// A place among the audio streams, or a language.
void choose_stream(audio::DecodeOptions& options, const std::string& text) {
  const bool is_number =
      !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  if (text.empty() || (!is_number && text.starts_with('-'))) {
    throw Error(ErrorCode::kUsage,
                "--audio-stream: '{}' is neither a number (from 0) nor a language", text);
  }
  options.audio_stream.reset();
  options.language.clear();
  if (is_number) {
    constexpr int kMaxStreams = 100'000;
    options.audio_stream = static_cast<int>(parse_integer("--audio-stream", text, 0, kMaxStreams));
  } else {
    options.language = text;
  }
}

void choose_channels(audio::DecodeOptions& options, const std::string& text) {
  options.channel.reset();
  options.split = text == "split";
  if (text == "left") options.channel = 0;
  if (text == "right") options.channel = 1;
  if (options.channel || options.split || text == "mix") return;
  throw Error(ErrorCode::kUsage, "--channels: '{}' is none of mix, split, left, right", text);
}

transcribe::Mode parse_mode(const std::string& text) {
  if (text == "parallel") return transcribe::Mode::kParallel;
  if (text == "sequential") return transcribe::Mode::kSequential;
  throw Error(ErrorCode::kUsage, "--mode: {} is neither parallel nor sequential", in_quotes(text));
}

ProgressMode parse_progress(const std::string& text) {
  if (text == "auto") return ProgressMode::kAuto;
  if (text == "always") return ProgressMode::kAlways;
  if (text == "never") return ProgressMode::kNever;
  throw Error(ErrorCode::kUsage, "--progress: {} is none of auto, always, never", in_quotes(text));
}

int parse_int(std::string_view option, const std::string& text) {
  constexpr int kMax = std::numeric_limits<int>::max();  // transcribe::check knows the real bounds
  return static_cast<int>(parse_integer(option, text, 0, kMax));
}

std::uint64_t parse_seed(const std::string& text) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::uint64_t>(parse_integer("--seed", text, 0, kMax));
}

std::vector<int> parse_token_ids(const std::string& text) {
  std::vector<int> ids;
  for (const std::string_view part : split_list(text)) {
    ids.push_back(static_cast<int>(parse_integer("--suppress-tokens", part, -1, kMaxTokenId)));
  }
  return ids;
}

void add_console_options(CLI::App& command, TranscribeArguments& a) {
  add_value(command, "--progress", "WHEN", "auto",
            "auto (when stderr is a terminal), always or never",
            [&a](const std::string& text) { a.progress = parse_progress(text); });
  command.add_flag("-q,--quiet", a.quiet, "only errors on stderr");
  command.add_flag("--profile", a.profile, "the time spent in each operation");
}

void add_result_options(CLI::App& command, TranscribeArguments& a) {
  command.option_defaults()->group("Input and output");
  command
      .add_option("files", a.inputs,
                  "audio or video files, folders to be searched, '-' for standard input")
      ->type_name("FILE")
      ->required();
  add_value(command, "-f,--format", "LIST", "txt",
            "txt, json, verbose_json, srt, vtt, tsv, several with commas, or all",
            [&a](const std::string& text) { a.formats = parse_formats(text); });
  add_value(command, "-o,--output-dir", "DIR", "",
            "write NAME.FORMAT files there instead of to standard output",
            [&a](const std::string& text) { a.output_folder = text; });
  command.add_flag("--skip-existing", a.skip_existing,
                   "leave out files whose results, in every format, are there already");
  command.add_flag(
      "--strict", a.strict,
      "a file fails, and nothing is written, when some of it could not be decoded, was "
      "left without text or made a guard step in");
  add_console_options(command, a);
}

void add_model_options(CLI::App& command, TranscribeArguments& a) {
  command.option_defaults()->group("Model");
  add_value(command, "-m,--model", "MODEL", a.model,
            "a name of `steno models list`, a folder or a .pt file",
            [&a](const std::string& text) { a.model = text; });
  command.add_flag_callback(
      "--offline", [] {}, "no network: always so here; `steno models pull` alone uses it");
  add_value(command, "-l,--language", "LANG", "auto",
            "spoken language: a code or a name; several (en,es) or auto: told by ear",
            [&a](const std::string& text) { parse_language(text, a.options); });
  add_value(command, "--task", "TASK", "transcribe", "transcribe, or translate into English",
            [&a](const std::string& text) { a.options.translate = is_translate(text); });
  command.add_flag("--translate", a.options.translate, "short for --task translate");
  add_value(command, "--mode", "MODE", "parallel",
            "parallel: windows cut at pauses, all at once; sequential: OpenAI's seek loop",
            [&a](const std::string& text) { a.options.mode = parse_mode(text); });
  add_value(command, "--compute-type", "TYPE", "auto", "auto, f32, bf16 or int8",
            [&a](const std::string& text) { a.compute_type = parse_compute_type(text); });
  add_value(command, "--kv-dtype", "TYPE", "auto",
            "how the audio is kept for the decoder: auto, f32, bf16 or int8; smaller is faster",
            [&a](const std::string& text) { a.kv_dtype = parse_kv_dtype(text); });
  add_value(command, "--threads", "N", "0", "0: all usable cores", [&a](const std::string& text) {
    a.num_threads = static_cast<int>(parse_integer("--threads", text, 0, kMaxThreads));
  });
}

void add_audio_options(CLI::App& command, audio::DecodeOptions& o) {
  command.option_defaults()->group("Audio");
  add_value(command, "--audio-stream", "N|LANG", "",
            "of several audio streams: the Nth, from 0, or the first in that language; without it "
            "the one marked as default, or the first",
            [&o](const std::string& text) { choose_stream(o, text); });
  add_value(command, "--channels", "WHICH", "mix",
            "mix all, split (a transcript for each, merged by time), left or right alone",
            [&o](const std::string& text) { choose_channels(o, text); });
  add_value(
      command, "--max-pipe-size", "SIZE", "64GiB",
      "how much of a pipe may be stored in TMPDIR, for what cannot be read as it comes (mp4, "
      "--channels split): bytes, or with KiB, MiB, GiB, TiB",
      [&o](const std::string& text) { o.max_spool_bytes = parse_bytes("--max-pipe-size", text); });
}

void add_search_options(CLI::App& command, transcribe::Options& o) {
  command.option_defaults()->group("Search");
  add_value(command, "--beam-size", "N", "5", "beams at temperature 0; 1 is greedy",
            [&o](const std::string& text) { o.beam_size = parse_int("--beam-size", text); });
  add_value(command, "--patience", "X", "1", "finish after beam size * X candidates",
            [&o](const std::string& text) { o.patience = parse_number("--patience", text); });
  add_value(command, "--length-penalty", "X", "none", "0 to 1; none divides by the plain length",
            [&o](const std::string& text) {
              o.length_penalty = parse_number_or_none("--length-penalty", text);
            });
  add_value(command, "--best-of", "N", "5", "samples at temperatures above 0",
            [&o](const std::string& text) { o.best_of = parse_int("--best-of", text); });
  add_value(command, "--temperature", "LIST", "0,0.2,0.4,0.6,0.8,1",
            "the next one is tried when a text looks wrong", [&o](const std::string& text) {
              o.temperatures = parse_numbers("--temperature", text);
            });
  add_value(command, "--seed", "N", "0", "of the samples: the same seed gives the same text",
            [&o](const std::string& text) { o.seed = parse_seed(text); });
}

void add_guard_options(CLI::App& command, transcribe::Options& o) {
  command.option_defaults()->group("Guards");
  add_value(command, "--compression-ratio-threshold", "X", "2.4",
            "above it a text repeats itself; or none", [&o](const std::string& text) {
              o.compression_ratio_threshold =
                  parse_number_or_none("--compression-ratio-threshold", text);
            });
  add_value(command, "--logprob-threshold", "X", "-1",
            "below this mean log-probability a text is tried again; or none",
            [&o](const std::string& text) {
              o.logprob_threshold = parse_number_or_none("--logprob-threshold", text);
            });
  add_value(command, "--no-speech-threshold", "X", "0.6",
            "above it an unsure window counts as silence; or none", [&o](const std::string& text) {
              o.no_speech_threshold = parse_number_or_none("--no-speech-threshold", text);
            });
}

void add_prompt_options(CLI::App& command, transcribe::Options& o) {
  command.option_defaults()->group("Prompt and tokens");
  command.add_flag("--condition-on-previous-text,!--no-condition-on-previous-text",
                   o.condition_on_previous_text, "each window sees the text before it (default)");
  add_value(command, "--initial-prompt", "TEXT", "",
            "names and style; sequential: for the first window only",
            [&o](const std::string& text) { o.initial_prompt = text; });
  add_value(command, "--hotwords", "TEXT", "", "words to expect in every window",
            [&o](const std::string& text) { o.hotwords = text; });
  command.add_flag("--carry-initial-prompt", o.carry_initial_prompt,
                   "the initial prompt for every window");
  add_value(command, "--prefix", "TEXT", "", "how the text of a window begins",
            [&o](const std::string& text) { o.prefix = text; });
  add_value(command, "--suppress-tokens", "LIST", "-1",
            "token ids never to be written; -1: all that are no speech; \"\": none",
            [&o](const std::string& text) { o.suppress_tokens = parse_token_ids(text); });
  command.add_flag("--suppress-blank,!--no-suppress-blank", o.suppress_blank,
                   "a text does not begin with a blank (default)");
}

void add_time_options(CLI::App& command, transcribe::Options& o) {
  command.option_defaults()->group("Times");
  command.add_flag("--without-timestamps", o.without_timestamps, "one segment for each window");
  command.add_flag("--word-timestamps,!--no-word-timestamps", o.word_timestamps,
                   "when each word was said, in json and verbose_json; subtitles cut by words");
  add_value(command, "--max-initial-timestamp", "S", "1",
            "a window's first segment begins by then; or none", [&o](const std::string& text) {
              o.max_initial_timestamp_s = parse_number_or_none("--max-initial-timestamp", text);
            });
  add_value(command, "--prepend-punctuations", "MARKS", o.prepend_punctuations,
            "they belong to the word after them",
            [&o](const std::string& text) { o.prepend_punctuations = text; });
  add_value(command, "--append-punctuations", "MARKS", o.append_punctuations,
            "they belong to the word before them",
            [&o](const std::string& text) { o.append_punctuations = text; });
  add_value(
      command, "--window-length", "S", fmt::format("{}", o.window_length_s),
      "the longest window, 5 to 30, when the language is given; else 30",
      [&o](const std::string& text) { o.window_length_s = parse_number("--window-length", text); });
  add_value(
      command, "--window-padding", "S", fmt::format("{}", o.window_padding_s),
      "silence behind a window's audio; 30: as the reference, several times slower on short audio",
      [&o](const std::string& text) {
        o.window_padding_s = parse_number("--window-padding", text);
      });
  add_value(command, "--hallucination-silence-threshold", "S", "none",
            "with word timestamps: skip longer silence around words that were made up",
            [&o](const std::string& text) {
              o.hallucination_silence_threshold_s =
                  parse_number_or_none("--hallucination-silence-threshold", text);
            });
  add_value(command, "--clip-timestamps", "LIST", "0",
            "begin,end,begin,end... in seconds: only these parts", [&o](const std::string& text) {
              o.clip_timestamps_s = parse_numbers("--clip-timestamps", text);
            });
}

void check_skip_existing(const TranscribeArguments& a) {
  if (!a.skip_existing || a.output_folder) return;
  throw Error(ErrorCode::kUsage,
              "--skip-existing: results on standard output are never there already; add -o DIR");
}

void set_cue_limits(const SubtitleOptions& subtitles, TranscribeArguments& a) {
  a.cue_limits = cue_limits(subtitles, a.formats);
  if (a.cue_limits) a.options.word_timestamps = true;
}

void add_recognition_options(CLI::App& command, TranscribeArguments& arguments) {
  add_audio_options(command, arguments.options.audio);
  add_model_options(command, arguments);
  add_search_options(command, arguments.options);
  add_guard_options(command, arguments.options);
  add_prompt_options(command, arguments.options);
  add_time_options(command, arguments.options);
}

}  // namespace

void add_bench_options(CLI::App& command, TranscribeArguments& arguments) {
  command.option_defaults()->group("Input and output");
  add_console_options(command, arguments);
  add_recognition_options(command, arguments);
  command.parse_complete_callback([&arguments] { transcribe::check(arguments.options); });
}

void add_transcribe_options(CLI::App& command, TranscribeArguments& arguments) {
  arguments.formats = {output::Format::kTxt};
  add_result_options(command, arguments);
  add_recognition_options(command, arguments);
  const auto subtitles = std::make_shared<SubtitleOptions>();
  add_subtitle_options(command, *subtitles);
  command.parse_complete_callback([&arguments, subtitles] {
    arguments.options.audio.strict = arguments.strict;
    transcribe::check(arguments.options);
    check_skip_existing(arguments);
    set_cue_limits(*subtitles, arguments);
  });
}

}  // namespace steno::cli
