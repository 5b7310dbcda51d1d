#include "output/pieces.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "output/cues.h"

namespace steno::output {
namespace {

using transcribe::Segment;
using transcribe::Word;

std::string joined(const std::vector<Word>& words) {
  std::string text;
  for (const Word& word : words) text += word.text;
  return text;
}

bool begins_with_space(std::string_view text) {
  return utf8::strip(text).data() != text.data();
}

// The end of the part of `text` that begins at `begin`: up to the next space, or the next place
// where a script without spaces may break.
std::size_t part_end(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && text[end] == ' ') ++end;
  const std::size_t first = end;
  while (end < text.size() && text[end] != ' ') {
    const bool starts_character = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (starts_character && end > first &&
        may_break_between(text.substr(first, end - first), text.substr(end))) {
      break;
    }
    ++end;
  }
  return end;
}

// The words that `segment` would have if it was spoken evenly.
std::vector<Word> evenly_spoken(const Segment& segment) {
  const std::string text = one_line(segment.text);
  const double total = std::max(1, num_columns(text));
  const double duration_s = std::max(0.0, segment.end_s - segment.start_s);
  std::vector<Word> words;
  double num_before = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = part_end(text, begin);
    Word word;
    word.text = text.substr(begin, end - begin);
    if (begin == 0 && begins_with_space(segment.text)) word.text.insert(0, 1, ' ');
    word.start_s = segment.start_s + duration_s * num_before / total;
    num_before += num_columns(text.substr(begin, end - begin));
    word.end_s = segment.start_s + duration_s * num_before / total;
    words.push_back(std::move(word));
    begin = end;
  }
  return words;
}

bool has_words_of_its_text(const Segment& segment) {
  return !segment.words.empty() && one_line(joined(segment.words)) == one_line(segment.text);
}

void add_word(const Word& word, bool begins_segment, std::vector<Piece>& pieces) {
  std::string text = one_line(word.text);
  if (text.empty()) return;
  const std::int64_t earliest_ms = pieces.empty() ? 0 : pieces.back().end_ms;
  const std::int64_t start_ms = std::max(to_ms(word.start_s), earliest_ms);
  const std::int64_t end_ms = std::max(to_ms(word.end_s), start_ms);
  const bool has_space = begins_with_space(word.text);
  const bool is_glued = !pieces.empty() && !begins_segment && !has_space &&
                        !may_break_between(pieces.back().text, text);
  if (is_glued) {
    pieces.back().text += text;
    pieces.back().end_ms = end_ms;
  } else {
    pieces.push_back({.text = std::move(text),
                      .has_space_before = has_space,
                      .start_ms = start_ms,
                      .end_ms = end_ms});
  }
}

}  // namespace

std::vector<Piece> make_pieces(const std::vector<Segment>& segments) {
  std::vector<Piece> pieces;
  for (const Segment& segment : segments) {
    const std::size_t num_before = pieces.size();
    const std::vector<Word> words =
        has_words_of_its_text(segment) ? segment.words : evenly_spoken(segment);
    for (const Word& word : words) add_word(word, pieces.size() == num_before, pieces);
    if (pieces.size() > num_before) pieces.back().ends_segment = true;
  }
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view next = i + 1 < pieces.size() ? std::string_view(pieces[i + 1].text) : "";
    pieces[i].num_columns = num_columns(pieces[i].text);
    pieces[i].end = phrase_end(pieces[i].text, next);
  }
  return pieces;
}

}  // namespace steno::output
