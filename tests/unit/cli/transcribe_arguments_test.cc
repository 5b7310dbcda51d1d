#include "cli/transcribe_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "base/error.h"

namespace steno::cli {
namespace {

using output::Format;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TranscribeArguments parse(std::vector<std::string> words) {
  TranscribeArguments arguments;
  CLI::App program;
  CLI::App* command = program.add_subcommand("transcribe");
  add_transcribe_options(*command, arguments);
  words.insert(words.begin(), "transcribe");
  std::ranges::reverse(words);  // as CLI11 wants them
  program.parse(words);
  return arguments;
}

std::string refusal(std::vector<std::string> words) {
  words.insert(words.begin(), "a.wav");
  try {
    parse(std::move(words));
  } catch (const Error& error) {
    EXPECT_EQ(info(error.code()).exit_code, 2) << error.what();
    return error.what();
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TranscribeArguments, DefaultsAreThoseOfOpenaiWhisper) {
  const TranscribeArguments a = parse({"a.wav"});
  EXPECT_THAT(a.inputs, ElementsAre("a.wav"));
  EXPECT_EQ(a.model, "whisper-base");
  EXPECT_THAT(a.formats, ElementsAre(Format::kTxt));
  EXPECT_FALSE(a.output_folder);
  EXPECT_FALSE(a.compute_type);
  EXPECT_FALSE(a.kv_dtype);
  EXPECT_FALSE(a.cue_limits);
  EXPECT_FALSE(a.skip_existing);
  EXPECT_FALSE(a.strict);
  EXPECT_FALSE(a.options.audio.strict);
  EXPECT_EQ(a.options.audio.max_spool_bytes, audio::kMaxSpoolBytes);
  EXPECT_FALSE(a.options.word_timestamps);
  EXPECT_EQ(a.num_threads, 0);
  const transcribe::Options& o = a.options;
  EXPECT_EQ(o.language, "");
  EXPECT_FALSE(o.translate);
  EXPECT_EQ(o.beam_size, 5);
  EXPECT_EQ(o.best_of, 5);
  EXPECT_EQ(o.patience, 1.0);
  EXPECT_THAT(o.temperatures, ElementsAre(0, 0.2, 0.4, 0.6, 0.8, 1));
  EXPECT_EQ(o.compression_ratio_threshold, 2.4);
  EXPECT_EQ(o.logprob_threshold, -1.0);
  EXPECT_EQ(o.no_speech_threshold, 0.6);
  EXPECT_TRUE(o.condition_on_previous_text);
  EXPECT_THAT(o.suppress_tokens, ElementsAre(-1));
  EXPECT_TRUE(o.suppress_blank);
  EXPECT_FALSE(o.word_timestamps);
  EXPECT_EQ(o.prepend_punctuations, "\"'“¿([{-");
  EXPECT_EQ(o.append_punctuations, "\"'.。,，!！?？:：”)]}、");
  EXPECT_FALSE(o.hallucination_silence_threshold_s);
}

TEST(TranscribeArguments, EveryOptionReachesItsField) {
  const TranscribeArguments a = parse({"a.wav",
                                       "-m",
                                       "tiny",
                                       "-l",
                                       "German",
                                       "--task",
                                       "translate",
                                       "-f",
                                       "srt,json",
                                       "-o",
                                       "out",
                                       "--mode",
                                       "sequential",
                                       "--compute-type",
                                       "int8",
                                       "--kv-dtype",
                                       "bf16",
                                       "--threads",
                                       "3",
                                       "--beam-size",
                                       "2",
                                       "--patience",
                                       "1.5",
                                       "--length-penalty",
                                       "0.5",
                                       "--best-of",
                                       "4",
                                       "--temperature",
                                       "0,0.5",
                                       "--seed",
                                       "7",
                                       "--compression-ratio-threshold",
                                       "2",
                                       "--logprob-threshold",
                                       "-0.5",
                                       "--no-speech-threshold",
                                       "none",
                                       "--no-condition-on-previous-text",
                                       "--initial-prompt",
                                       "Ada, Bob",
                                       "--carry-initial-prompt",
                                       "--prefix",
                                       "So",
                                       "--suppress-tokens",
                                       "1,2",
                                       "--no-suppress-blank",
                                       "--without-timestamps",
                                       "--max-initial-timestamp",
                                       "none",
                                       "--word-timestamps",
                                       "--prepend-punctuations",
                                       "(",
                                       "--append-punctuations",
                                       ")",
                                       "--hallucination-silence-threshold",
                                       "1.5",
                                       "--clip-timestamps",
                                       "1,2.5",
                                       "--quiet",
                                       "--progress",
                                       "always",
                                       "--profile",
                                       "--skip-existing",
                                       "--strict",
                                       "--max-pipe-size",
                                       "2MiB",
                                       "--word-timestamps",
                                       "--max-line-width",
                                       "30",
                                       "--max-line-count",
                                       "3",
                                       "--max-words-per-line",
                                       "4",
                                       "--max-cue-seconds",
                                       "5.5"});
  EXPECT_EQ(a.model, "tiny");
  EXPECT_THAT(a.formats, ElementsAre(Format::kSrt, Format::kJson));
  EXPECT_EQ(a.output_folder, "out");
  EXPECT_EQ(a.compute_type, ops::ComputeType::kInt8);
  EXPECT_EQ(a.kv_dtype, DType::kBF16);
  EXPECT_EQ(a.num_threads, 3);
  EXPECT_TRUE(a.quiet);
  EXPECT_EQ(a.progress, ProgressMode::kAlways);
  EXPECT_TRUE(a.profile);
  EXPECT_TRUE(a.skip_existing);
  EXPECT_TRUE(a.strict);
  EXPECT_TRUE(a.options.audio.strict);
  EXPECT_EQ(a.options.audio.max_spool_bytes, 2 << 20);
  ASSERT_TRUE(a.cue_limits);
  EXPECT_EQ(a.cue_limits->max_line_columns, 30);
  EXPECT_EQ(a.cue_limits->max_lines, 3);
  EXPECT_EQ(a.cue_limits->max_words_per_line, 4);
  EXPECT_EQ(a.cue_limits->max_cue_s, 5.5);
  const transcribe::Options& o = a.options;
  EXPECT_EQ(o.language, "de");
  EXPECT_TRUE(o.translate);
  EXPECT_EQ(o.beam_size, 2);
  EXPECT_EQ(o.patience, 1.5);
  EXPECT_EQ(o.length_penalty, 0.5);
  EXPECT_EQ(o.best_of, 4);
  EXPECT_THAT(o.temperatures, ElementsAre(0, 0.5));
  EXPECT_EQ(o.seed, 7u);
  EXPECT_EQ(o.compression_ratio_threshold, 2.0);
  EXPECT_EQ(o.logprob_threshold, -0.5);
  EXPECT_EQ(o.no_speech_threshold, std::nullopt);
  EXPECT_FALSE(o.condition_on_previous_text);
  EXPECT_EQ(o.initial_prompt, "Ada, Bob");
  EXPECT_TRUE(o.carry_initial_prompt);
  EXPECT_EQ(o.prefix, "So");
  EXPECT_THAT(o.suppress_tokens, ElementsAre(1, 2));
  EXPECT_FALSE(o.suppress_blank);
  EXPECT_TRUE(o.without_timestamps);
  EXPECT_EQ(o.max_initial_timestamp_s, std::nullopt);
  EXPECT_TRUE(o.word_timestamps);
  EXPECT_EQ(o.prepend_punctuations, "(");
  EXPECT_EQ(o.append_punctuations, ")");
  EXPECT_EQ(o.hallucination_silence_threshold_s, 1.5);
  EXPECT_THAT(o.clip_timestamps_s, ElementsAre(1, 2.5));
  EXPECT_TRUE(o.word_timestamps);
}

TEST(TranscribeArguments, ShapedSubtitlesNeedWordTimes) {
  const TranscribeArguments a = parse({"a", "-f", "txt,srt", "--max-cue-seconds", "4"});
  EXPECT_TRUE(a.options.word_timestamps);
  ASSERT_TRUE(a.cue_limits);
  EXPECT_EQ(a.cue_limits->max_cue_s, 4);
  EXPECT_EQ(a.cue_limits->max_line_columns, 42);
  EXPECT_EQ(a.cue_limits->max_lines, 2);
}

TEST(TranscribeArguments, WordsPerLineAloneMakeOneLine) {
  const TranscribeArguments a = parse({"a", "-f", "vtt", "--max-words-per-line", "1"});
  EXPECT_EQ(a.cue_limits.value().max_lines, 1);
  EXPECT_EQ(a.cue_limits.value().max_words_per_line, 1);
}

TEST(TranscribeArguments, SubtitleOptionsNeedSubtitles) {
  EXPECT_THAT(refusal({"--max-line-width", "30"}), HasSubstr("ask for one of these with -f"));
  EXPECT_THAT(refusal({"-f", "json,txt", "--max-cue-seconds", "5"}), HasSubstr("-f"));
}

TEST(TranscribeArguments, SkippingNeedsAnOutputFolder) {
  EXPECT_THAT(refusal({"--skip-existing"}), HasSubstr("-o DIR"));
  EXPECT_EQ(refusal({"--skip-existing", "-o", "out"}), "accepted");
}

TEST(TranscribeArguments, MessagesNameTheOptionAsItIsTyped) {
  EXPECT_THAT(refusal({"--beam-size", "0"}), HasSubstr("--beam-size is 0"));
  EXPECT_THAT(refusal({"--temperature", "2"}), HasSubstr("--temperature is 2"));
  EXPECT_THAT(refusal({"--no-speech-threshold", "2"}), HasSubstr("--no-speech-threshold is 2"));
}

TEST(TranscribeArguments, LongValuesAreShortenedInMessages) {
  const std::string text(100'000, 'x');
  for (const char* option :
       {"-f", "-l", "--task", "--mode", "--compute-type", "--kv-dtype", "--progress", "--threads",
        "--beam-size", "--temperature", "--max-line-width"}) {
    const std::string message = refusal({option, text});
    EXPECT_NE(message, "accepted") << option;
    EXPECT_LT(message.size(), 1000u) << option;
  }
}

TEST(TranscribeArguments, InputsAreTakenLiterally) {
  EXPECT_THAT(parse({"a\"; touch x; \".mp3", "-", "doctor", "a b"}).inputs,
              ElementsAre("a\"; touch x; \".mp3", "-", "doctor", "a b"));
  EXPECT_THAT(parse({"-q", "--", "-x.wav", "--threads"}).inputs,
              ElementsAre("-x.wav", "--threads"));
}

TEST(TranscribeArguments, FormatsComeOnceInTheOrderGiven) {
  EXPECT_THAT(parse({"a", "-f", "srt, txt,srt,text"}).formats,
              ElementsAre(Format::kSrt, Format::kTxt));
  EXPECT_EQ(parse({"a", "--format=all"}).formats.size(), output::kAllFormats.size());
}

TEST(TranscribeArguments, KeysAndValuesAreKeptAsToldOrAsIsBest) {
  EXPECT_EQ(parse({"a", "--kv-dtype", "f32"}).kv_dtype, DType::kF32);
  EXPECT_EQ(parse({"a", "--kv-dtype", "int8"}).kv_dtype, DType::kI8);
  EXPECT_EQ(parse({"a", "--kv-dtype", "auto"}).kv_dtype, std::nullopt);
}

TEST(TranscribeArguments, EmptyTextsAreTexts) {
  EXPECT_THAT(parse({"a", "--suppress-tokens", ""}).options.suppress_tokens, IsEmpty());
  EXPECT_EQ(parse({"a", "--initial-prompt", ""}).options.initial_prompt, "");
}

TEST(TranscribeArguments, ATextMayBeginWithADash) {
  EXPECT_EQ(parse({"a", "--prefix", "- So"}).options.prefix, "- So");
}

TEST(TranscribeArguments, TheLanguageMayBeLeftToTheModel) {
  EXPECT_EQ(parse({"a", "-l", "auto"}).options.language, "");
  const transcribe::Options two = parse({"a", "-l", "en, German"}).options;
  EXPECT_EQ(two.language, "");
  EXPECT_EQ(two.allowed_languages, (std::vector<std::string>{"en", "de"}));
  EXPECT_EQ(parse({"a", "-l", "en"}).options.allowed_languages.size(), 1U);
  EXPECT_EQ(parse({"a", "-l", "en-US"}).options.language, "en");
}

TEST(TranscribeArguments, RefusalsSayWhatIsAllowed) {
  EXPECT_THAT(refusal({"-f", "docx"}), HasSubstr("'docx' is none of txt, json"));
  EXPECT_THAT(refusal({"-f", ""}), HasSubstr("at least one format"));
  EXPECT_THAT(refusal({"-l", "klingon"}), HasSubstr("'klingon' is not known"));
  EXPECT_THAT(refusal({"-l", "klingon"}), HasSubstr(" yue"));
  EXPECT_THAT(refusal({"--task", "sing"}), HasSubstr("neither transcribe nor translate"));
  EXPECT_THAT(refusal({"--mode", "batched"}), HasSubstr("neither parallel nor sequential"));
  EXPECT_THAT(refusal({"-l", "en,xx"}), HasSubstr("'xx' is not known"));
  EXPECT_THAT(refusal({"-l", ","}), HasSubstr("is not known"));
  EXPECT_THAT(refusal({"--compute-type", "fp4"}), HasSubstr("none of auto, f32, bf16, int8"));
  EXPECT_THAT(refusal({"--kv-dtype", "int4"}), HasSubstr("none of auto, f32, bf16, int8"));
  EXPECT_THAT(refusal({"--kv-dtype", "fp8_e4m3"}), HasSubstr("needs a CUDA backend"));
  EXPECT_THAT(refusal({"--progress", "often"}), HasSubstr("none of auto, always, never"));
  EXPECT_THAT(refusal({"--threads", "-1"}), HasSubstr("whole number from 0 to 1024"));
}

TEST(TranscribeArguments, NumbersOutOfRangeAreRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"--beam-size", "0"},
      {"--beam-size", "100000"},
      {"--best-of", "0"},
      {"--patience", "0"},
      {"--length-penalty", "1.5"},
      {"--temperature", "0,2"},
      {"--temperature", ""},
      {"--seed", "-1"},
      {"--no-speech-threshold", "2"},
      {"--max-initial-timestamp", "31"},
      {"--clip-timestamps", "5,3"},
      {"--suppress-tokens", "-2"},
      {"--beam-size", "two"},
      {"--max-line-width", "-1"},
      {"--max-line-count", "1e9"},
      {"--max-cue-seconds", "0.01"},
      {"--max-cue-seconds", "-1"},
      {"--max-cue-seconds", "none"},
  };
  for (const auto& [option, value] : cases) {
    EXPECT_NE(refusal({option, value}), "accepted") << option << " " << value;
  }
}

TEST(TranscribeArguments, AFileIsNeeded) {
  EXPECT_THROW(parse({}), CLI::RequiredError);
}

TEST(TranscribeArguments, AStreamIsANumberOrALanguage) {
  const auto of = [](std::vector<std::string> words) {
    words.insert(words.begin(), "a.mkv");
    return parse(words).options.audio;
  };
  EXPECT_FALSE(of({}).audio_stream);
  EXPECT_EQ(of({}).language, "");
  EXPECT_EQ(of({"--audio-stream", "0"}).audio_stream, 0);
  EXPECT_EQ(of({"--audio-stream", "12"}).audio_stream, 12);
  EXPECT_EQ(of({"--audio-stream", "jpn"}).language, "jpn");
  EXPECT_FALSE(of({"--audio-stream", "1", "--audio-stream", "ja"}).audio_stream);
  EXPECT_THAT(refusal({"--audio-stream", ""}), HasSubstr("--audio-stream"));
  EXPECT_THAT(refusal({"--audio-stream=-1"}), HasSubstr("--audio-stream: '-1'"));
  EXPECT_THAT(refusal({"--audio-stream", "99999999999"}), HasSubstr("--audio-stream"));
}

TEST(TranscribeArguments, ChannelsAreMixedSplitOrOneAlone) {
  const auto of = [](const std::string& which) {
    return parse({"a.wav", "--channels", which}).options.audio;
  };
  EXPECT_FALSE(parse({"a.wav"}).options.audio.channel);
  EXPECT_FALSE(parse({"a.wav"}).options.audio.split);
  EXPECT_FALSE(of("mix").channel);
  EXPECT_EQ(of("left").channel, 0);
  EXPECT_EQ(of("right").channel, 1);
  EXPECT_TRUE(of("split").split);
  EXPECT_FALSE(of("split").channel);
  EXPECT_THAT(refusal({"--channels", "both"}),
              HasSubstr("--channels: 'both' is none of mix, split, left, right"));
}

}  // namespace
}  // namespace steno::cli
