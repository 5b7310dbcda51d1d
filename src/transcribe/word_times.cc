#include "transcribe/word_times.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/utf8.h"
#include "transcribe/segments.h"

namespace steno::transcribe {
namespace {

constexpr std::string_view kAsciiPunctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
constexpr std::string_view kSentenceEnds = ".。!！?？";
constexpr double kLongestMedianS = 0.7;
// How far a segment's own times may lie inside its words' before they are believed.
constexpr double kSegmentTrustS = 0.5;

constexpr std::array<std::string_view, 6> kWithoutSpaces = {"zh", "ja", "th", "lo", "my", "yue"};

// A word in the making. Times count from the window's begin.
struct Timing {
  std::string text;
  double start_s = 0;
  double end_s = 0;
  double probability = 0;

  double duration_s() const { return end_s - start_s; }
};

// The words of one segment; `timings` has those of all of the window.
struct TimingRange {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// TRAP: Python's `in` on strings: a word of several marks counts only in their order, and the empty
// word always does.
bool contains(std::string_view marks, std::string_view word) {
  return marks.find(word) != std::string_view::npos;
}

bool begins_word(std::string_view piece) {
  return piece.starts_with(' ') || contains(kAsciiPunctuation, utf8::strip(piece));
}

struct Piece {
  std::string text;
  std::size_t end = 0;  // of its tokens
};

// Pieces of whole characters. DIFFERS: where tokens are no valid UTF-8 the reference may write one
// malformed sequence twice; here the pieces joined are always the text.
std::vector<Piece> split_characters(std::span<const int> tokens, const WordRules& rules) {
  std::vector<Piece> pieces;
  std::span<const int> rest = tokens;
  std::string rest_text = rules.decode_text(rest);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t begin = tokens.size() - rest.size();
    std::string text = rules.decode_text(tokens.subspan(begin, i + 1 - begin));
    std::string after = rules.decode_text(tokens.subspan(i + 1));
    if (text + after != rest_text) continue;  // a character goes on in the next token
    pieces.push_back({std::move(text), i + 1});
    rest = tokens.subspan(i + 1);
    rest_text = std::move(after);
  }
  return pieces;
}

std::vector<Piece> split_words(std::span<const int> tokens, const WordRules& rules) {
  std::vector<Piece> pieces = split_characters(tokens, rules);
  if (!rules.has_spaces) return pieces;
  std::vector<Piece> words;
  for (Piece& piece : pieces) {
    if (words.empty() || begins_word(piece.text)) {
      words.push_back(std::move(piece));
    } else {
      words.back().text += piece.text;
      words.back().end = piece.end;
    }
  }
  return words;
}

// The words of the aligned tokens [begin, end), which are one segment's.
void append_timings(std::span<const int> tokens, const models::Alignment& alignment,
                    std::size_t begin, const WordRules& rules, std::vector<Timing>& timings) {
  const auto start_s = [&](std::size_t i) {
    const bool is_end = i == alignment.tokens.size();
    return (is_end ? alignment.end_position : alignment.tokens[i].position) /
           rules.positions_per_second;
  };
  std::size_t first = begin;
  for (Piece& word : split_words(tokens, rules)) {
    const std::size_t end = begin + word.end;
    double sum = 0;
    for (std::size_t i = first; i < end; ++i) sum += alignment.tokens[i].probability;
    timings.push_back({std::move(word.text), start_s(first), start_s(end),
                       sum / static_cast<double>(end - first)});
    first = end;
  }
}

// Of those that last at all; 0 when none does.
double median_duration_s(const std::vector<Timing>& timings) {
  std::vector<double> durations;
  for (const Timing& timing : timings) {
    if (timing.duration_s() != 0) durations.push_back(timing.duration_s());
  }
  if (durations.empty()) return 0;
  std::sort(durations.begin(), durations.end());
  const std::size_t middle = durations.size() / 2;
  return durations.size() % 2 == 1 ? durations[middle]
                                   : (durations[middle - 1] + durations[middle]) / 2;
}

// A pause after a sentence is no part of its mark, nor of the word after it.
void cut_at_sentence_ends(std::vector<Timing>& timings, double max_duration_s) {
  for (std::size_t i = 1; i < timings.size(); ++i) {
    if (timings[i].duration_s() <= max_duration_s) continue;
    if (contains(kSentenceEnds, timings[i].text)) {
      timings[i].end_s = timings[i].start_s + max_duration_s;
    } else if (contains(kSentenceEnds, timings[i - 1].text)) {
      timings[i].start_s = timings[i].end_s - max_duration_s;
    }
  }
}

// A mark gives its text to its word and keeps none.
void merge_punctuation(std::span<Timing> timings, const WordRules& rules) {
  if (timings.size() < 2) return;
  std::size_t following = timings.size() - 1;
  for (std::size_t i = timings.size() - 1; i-- > 0;) {
    std::string& text = timings[i].text;
    if (text.starts_with(' ') && contains(rules.prepend_punctuations, utf8::strip(text))) {
      timings[following].text.insert(0, text);
      text.clear();
    } else {
      following = i;
    }
  }
  std::size_t previous = 0;
  for (std::size_t i = 1; i < timings.size(); ++i) {
    std::string& text = timings[i].text;
    if (!timings[previous].text.ends_with(' ') && contains(rules.append_punctuations, text)) {
      timings[previous].text += text;
      text.clear();
    } else {
      previous = i;
    }
  }
}

// As the reference, so that what is compared later is the same; a hundredth is exact here: times
// are multiples of it, but for the noise of their sums.
double round_to_hundredth(double time_s) {
  return std::nearbyint(time_s * 100) / 100;
}

std::vector<Word> words_of(std::span<const Timing> timings, double window_begin_s) {
  std::vector<Word> words;
  for (const Timing& timing : timings) {
    if (timing.text.empty()) continue;
    words.push_back({timing.text, round_to_hundredth(window_begin_s + timing.start_s),
                     round_to_hundredth(window_begin_s + timing.end_s), timing.probability});
  }
  return words;
}

// The first word after a pause, and the second, may have been stretched over it.
void cut_after_pause(std::vector<Word>& words, double last_speech_s, double median_s) {
  const double max_s = 2 * median_s;
  Word& first = words[0];
  if (first.end_s - last_speech_s <= 4 * median_s) return;
  const bool is_long = first.end_s - first.start_s > max_s;
  const bool are_long = words.size() > 1 && words[1].end_s - first.start_s > 2 * max_s;
  if (!is_long && !are_long) return;
  if (words.size() > 1 && words[1].end_s - words[1].start_s > max_s) {
    const double boundary = std::max(words[1].end_s / 2, words[1].end_s - max_s);
    first.end_s = boundary;
    words[1].start_s = boundary;
  }
  first.start_s = std::max(0.0, first.end_s - max_s);
}

// Either the words give the segment its times, or the segment cuts words that are far too long.
void fit_to_segment(Segment& segment, double median_s) {
  Word& first = segment.words.front();
  if (segment.start_s < first.end_s && segment.start_s - kSegmentTrustS > first.start_s) {
    first.start_s = std::max(0.0, std::min(first.end_s - median_s, segment.start_s));
  } else {
    segment.start_s = first.start_s;
  }
  Word& last = segment.words.back();
  if (segment.end_s > last.start_s && segment.end_s + kSegmentTrustS < last.end_s) {
    last.end_s = std::max(last.start_s + median_s, segment.end_s);
  } else {
    segment.end_s = last.end_s;
  }
}

}  // namespace

WordRules word_rules(const models::Model& model, const Options& options,
                     std::string_view language) {
  const models::ModelInfo& info = model.info();
  WordRules rules;
  // DIFFERS: the reference splits a translation by the rules of the language that was spoken.
  rules.has_spaces = options.translate || std::find(kWithoutSpaces.begin(), kWithoutSpaces.end(),
                                                    language) == kWithoutSpaces.end();
  rules.positions_per_second = kFramesPerSecond / info.frames_per_position;
  rules.decode_text = [&model](std::span<const int> tokens) { return model.decode_text(tokens); };
  rules.prepend_punctuations = options.prepend_punctuations;
  rules.append_punctuations = options.append_punctuations;
  return rules;
}

// The part of `word` from its first to its last piece of speech that is long enough to be of it.
void cut_to_speech(Word& word, std::span<const vad::SpeechSpan> speech) {
  constexpr double kMinPieceS = 0.15;
  double first_s = word.end_s;
  double last_s = word.start_s;
  double longest_s = 0;
  for (const vad::SpeechSpan& span : speech) {
    const double begin_s =
        std::max(word.start_s, static_cast<double>(span.begin_samples) / audio::kSampleRate);
    const double end_s =
        std::min(word.end_s, static_cast<double>(span.end_samples) / audio::kSampleRate);
    if (end_s <= begin_s) continue;
    const bool is_enough = end_s - begin_s >= kMinPieceS;
    const bool is_longest = end_s - begin_s > longest_s;
    if (is_longest && longest_s < kMinPieceS) {  // what came before is no part of it
      first_s = begin_s;
      last_s = end_s;
    } else if (is_enough) {
      last_s = end_s;
    }
    longest_s = std::max(longest_s, end_s - begin_s);
  }
  if (longest_s == 0) return;
  word.start_s = first_s;
  word.end_s = last_s;
}

models::AlignRequest align_request(std::span<const Segment> segments, const Options& options,
                                   const std::string& language, std::int64_t num_frames) {
  models::AlignRequest request;
  for (const Segment& segment : segments) {
    request.tokens.insert(request.tokens.end(), segment.tokens.begin(), segment.tokens.end());
  }
  request.language = language;
  request.translate = options.translate;
  request.num_frames = static_cast<int>(num_frames);
  return request;
}

void add_word_times(std::span<Segment> segments, const models::Alignment& alignment,
                    const WordRules& rules, const WordWindow& window) {
  // DIFFERS: the reference splits and merges across segments, and then gives a segment words of its
  // neighbour. Here a word is of one segment.
  std::vector<Timing> timings;
  std::vector<TimingRange> ranges;
  std::size_t next = 0;         // in alignment.tokens
  std::size_t token_begin = 0;  // of the segment, in all tokens
  for (const Segment& segment : segments) {
    const std::size_t begin = next;
    std::vector<int> tokens;
    for (; next < alignment.tokens.size(); ++next) {
      const std::size_t index = alignment.tokens[next].index - token_begin;
      if (index >= segment.tokens.size()) break;
      tokens.push_back(segment.tokens[index]);
    }
    token_begin += segment.tokens.size();
    const std::size_t first = timings.size();
    append_timings(tokens, alignment, begin, rules, timings);
    ranges.push_back({first, timings.size()});
  }
  STENO_CHECK(next == alignment.tokens.size(), "{} tokens of {} in the segments", next,
              alignment.tokens.size());

  double last_speech_s = window.last_speech_s;
  const double median_s = std::min(kLongestMedianS, median_duration_s(timings));
  if (median_s > 0) cut_at_sentence_ends(timings, 2 * median_s);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const std::span<Timing> own =
        std::span(timings).subspan(ranges[i].begin, ranges[i].end - ranges[i].begin);
    merge_punctuation(own, rules);
    Segment& segment = segments[i];
    segment.words = words_of(own, window.begin_s);
    if (segment.words.empty()) continue;
    cut_after_pause(segment.words, last_speech_s, median_s);
    fit_to_segment(segment, median_s);
    last_speech_s = segment.end_s;
  }
}

void cut_to_speech(std::span<Segment> segments, std::span<const vad::SpeechSpan> speech) {
  for (Segment& segment : segments) {
    if (segment.words.empty()) continue;
    for (Word& word : segment.words) cut_to_speech(word, speech);
    segment.start_s = segment.words.front().start_s;
    segment.end_s = segment.words.back().end_s;
  }
}

void order_word_times(std::span<Segment> segments, double duration_s) {
  std::map<std::string, double> earliest;  // by channel: speakers may talk at the same time
  for (Segment& segment : segments) {
    double& earliest_s = earliest[segment.channel];
    const auto place = [&](double& start_s, double& end_s) {
      start_s = std::clamp(start_s, earliest_s, duration_s);
      end_s = std::clamp(end_s, start_s, duration_s);
    };
    place(segment.start_s, segment.end_s);
    for (Word& word : segment.words) {
      place(word.start_s, word.end_s);
      earliest_s = word.end_s;
    }
    if (!segment.words.empty()) {
      segment.start_s = std::min(segment.start_s, segment.words.front().start_s);
      segment.end_s = std::max(segment.end_s, segment.words.back().end_s);
    }
    earliest_s = std::max(earliest_s, segment.end_s);
  }
}

}  // namespace steno::transcribe
