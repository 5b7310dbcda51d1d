// Segments whose words are spoken one after the other, for the tests of subtitles.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "transcribe/transcript.h"

namespace steno::output {

// Words part before a space, which they keep as the first character; each takes `word_s`.
inline transcribe::Segment spoken(std::string_view text, double start_s, double word_s) {
  transcribe::Segment segment;
  segment.start_s = start_s;
  segment.text = text;
  double now_s = start_s;
  while (!text.empty()) {
    const std::size_t end = text.find(' ', 1);
    const std::string_view word = text.substr(0, end);
    segment.words.push_back({std::string(word), now_s, now_s + word_s, 0.9});
    now_s += word_s;
    text.remove_prefix(word.size());
  }
  segment.end_s = now_s;
  return segment;
}

// The same for scripts without spaces: the words are given one by one.
inline transcribe::Segment spoken_words(const std::vector<std::string>& words, double start_s,
                                        double word_s) {
  transcribe::Segment segment;
  segment.start_s = start_s;
  double now_s = start_s;
  for (const std::string& word : words) {
    segment.text += word;
    segment.words.push_back({word, now_s, now_s + word_s, 0.9});
    now_s += word_s;
  }
  segment.end_s = now_s;
  return segment;
}

}  // namespace steno::output
