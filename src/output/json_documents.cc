#include "output/json_documents.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/json.h"
#include "base/utf8.h"
#include "output/cues.h"
#include "text/languages.h"

namespace steno::output {
namespace {

using Json = nlohmann::ordered_json;
using transcribe::AudioStream;
using transcribe::Interval;
using transcribe::Segment;
using transcribe::Transcript;
using transcribe::Word;

double rounded_to_ms(double time_s) {
  return static_cast<double>(to_ms(time_s)) / 1000.0;
}

// The keys that openai-whisper and the API share.
Json segment_object(const Segment& segment) {
  return {
      {"id", segment.id},
      {"seek", segment.seek},
      {"start", rounded_to_ms(segment.start_s)},
      {"end", rounded_to_ms(segment.end_s)},
      {"text", segment.text},
      {"tokens", segment.tokens},
      {"temperature", segment.temperature},
      {"avg_logprob", segment.avg_logprob},
      {"compression_ratio", segment.compression_ratio},
      {"no_speech_prob", segment.no_speech_prob},
  };
}

Json word_objects(const std::vector<Word>& words) {
  Json list = Json::array();
  for (const Word& word : words) {
    list.push_back({{"word", word.text},
                    {"start", rounded_to_ms(word.start_s)},
                    {"end", rounded_to_ms(word.end_s)},
                    {"probability", word.probability}});
  }
  return list;
}

// What openai-whisper does not know; only where there is something to say.
void add_own_keys(const Segment& segment, Json& object) {
  if (!segment.language.empty()) object["language"] = segment.language;
  if (!segment.channel.empty()) object["channel"] = segment.channel;
  if (!segment.flags.empty()) object["flags"] = segment.flags;
}

Json interval_objects(const std::vector<Interval>& intervals) {
  Json list = Json::array();
  for (const Interval& interval : intervals) {
    list.push_back({{"start", rounded_to_ms(interval.begin_s)},
                    {"end", rounded_to_ms(interval.end_s)},
                    {"reason", interval.reason}});
  }
  return list;
}

Json stream_object(const AudioStream& stream) {
  return {{"index", stream.index}, {"codec", stream.codec}, {"language", stream.language}};
}

Json whisper_segments(const Transcript& transcript) {
  Json list = Json::array();
  for (const Segment& segment : transcript.segments) {
    Json object = segment_object(segment);
    if (!segment.words.empty()) object["words"] = word_objects(segment.words);
    add_own_keys(segment, object);
    list.push_back(std::move(object));
  }
  return list;
}

Json api_segments(const Transcript& transcript) {
  Json list = Json::array();
  for (const Segment& segment : transcript.segments) {
    Json object = segment_object(segment);
    add_own_keys(segment, object);
    list.push_back(std::move(object));
  }
  return list;
}

// All words of the transcript in one list, without the spaces that the tokens carry.
Json api_words(const Transcript& transcript) {
  Json list = Json::array();
  for (const Segment& segment : transcript.segments) {
    for (const Word& word : segment.words) {
      list.push_back({{"word", utf8::strip(word.text)},
                      {"start", rounded_to_ms(word.start_s)},
                      {"end", rounded_to_ms(word.end_s)}});
    }
  }
  return list;
}

std::string api_language(const Transcript& transcript) {
  if (transcript.task == "translate") return "english";
  const auto name = text::find_language_name(transcript.language);
  return name ? std::string(*name) : transcript.language;
}

std::int64_t started_seconds(double duration_s) {
  return (to_ms(duration_s) + 999) / 1000;
}

}  // namespace

std::string render_json(const Transcript& transcript) {
  Json document = {
      {"text", transcript.text},
      {"segments", whisper_segments(transcript)},
      {"language", transcript.language},
      {"source", transcript.source},
      {"duration", rounded_to_ms(transcript.duration_s)},
      {"covered", rounded_to_ms(transcript.covered_s)},
      {"missing", interval_objects(transcript.missing)},
      {"decode_errors", transcript.decode_errors},
      {"warnings", transcript.warnings},
      {"model", transcript.model},
      {"compute_type", transcript.compute_type},
      {"version", transcript.version},
  };
  if (transcript.speech_s) document["speech"] = rounded_to_ms(*transcript.speech_s);
  if (transcript.stream) document["stream"] = stream_object(*transcript.stream);
  return json::print(document) + '\n';
}

std::string render_verbose_json(const Transcript& transcript) {
  Json document = {
      {"task", transcript.task},
      {"language", api_language(transcript)},
      {"duration", rounded_to_ms(transcript.duration_s)},
      {"text", transcript.text},
  };
  if (Json words = api_words(transcript); !words.empty()) document["words"] = std::move(words);
  document["segments"] = api_segments(transcript);
  if (!transcript.missing.empty()) document["missing"] = interval_objects(transcript.missing);
  document["usage"] = {{"type", "duration"}, {"seconds", started_seconds(transcript.duration_s)}};
  return json::print(document) + '\n';
}

}  // namespace steno::output
