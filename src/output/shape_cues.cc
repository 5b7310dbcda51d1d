#include "output/shape_cues.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

namespace steno::output {
namespace {

// What is dear about a cue, in units of one cue more. Tuned by eye on readings and lectures; what
// matters is the order: a whole sentence that fits stays whole, and two of them stay apart.
constexpr double kCutInClause = 3;
constexpr double kCutAtClause = 1;
constexpr double kSentenceEndInside = 1.5;
constexpr double kSecondOfPauseInside = 1;
constexpr double kSecondTooShort = 2;

constexpr std::int64_t kShortMs = 1000;      // less cannot be read
constexpr std::int64_t kPauseMs = 500;       // a pause that one hears is like a comma
constexpr std::int64_t kLongPauseMs = 3000;  // ends a cue; openai-whisper's long_pause

constexpr double kLineCutInClause = 0.3;
constexpr double kLineCutAtClause = 0.1;

// More never share a cue that limits allow to be endless: it bounds the time that a day's talk
// takes.
constexpr std::size_t kMaxPieces = 1000;

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kUnlimited = std::numeric_limits<int>::max() / 2;

int or_unlimited(int limit) {
  return limit > 0 ? limit : kUnlimited;
}

// How many lines pieces take when each line is filled up, as they are added one by one.
class LineFiller {
 public:
  explicit LineFiller(const CueLimits& limits)
      : max_columns_(or_unlimited(limits.max_line_columns)),
        max_words_(or_unlimited(limits.max_words_per_line)) {}

  void add(const Piece& piece) {
    const int with_space = num_columns_ + (piece.has_space_before ? 1 : 0) + piece.num_columns;
    const bool fits = num_words_ > 0 && with_space <= max_columns_ && num_words_ < max_words_;
    num_columns_ = fits ? with_space : piece.num_columns;
    num_words_ = fits ? num_words_ + 1 : 1;
    if (!fits) ++num_lines_;
  }

  int num_lines() const { return num_lines_; }
  int num_columns() const { return num_columns_; }  // of the last one

 private:
  int max_columns_;
  int max_words_;
  int num_columns_ = 0;
  int num_words_ = 0;
  int num_lines_ = 0;
};

std::int64_t max_cue_ms(const CueLimits& limits) {
  return limits.max_cue_s > 0 ? std::max<std::int64_t>(to_ms(limits.max_cue_s), 1)
                              : std::numeric_limits<std::int64_t>::max();
}

// The cost of a cue of pieces[begin, end), kept up to date while `end` grows.
class CueCost {
 public:
  CueCost(std::span<const Piece> pieces, std::size_t begin, const CueLimits& limits)
      : pieces_(pieces), begin_(begin), end_(begin), limits_(limits), lines_(limits) {}

  // Adds the next piece; false when it does not fit. The first always does.
  bool add() {
    const Piece& piece = pieces_[end_];
    lines_.add(piece);
    const bool fits = lines_.num_lines() <= or_unlimited(limits_.max_lines) &&
                      piece.end_ms - pieces_[begin_].start_ms <= max_cue_ms(limits_);
    if (end_ > begin_ && !fits) return false;
    if (end_ > begin_) cost_inside_ += cost_of_keeping(pieces_[end_ - 1], piece);
    num_columns_ += piece.num_columns + (end_ > begin_ && piece.has_space_before ? 1 : 0);
    ++end_;
    return true;
  }

  double value() const {
    const std::int64_t duration_ms = pieces_[end_ - 1].end_ms - pieces_[begin_].start_ms;
    const double too_short_s =
        static_cast<double>(std::max<std::int64_t>(kShortMs - duration_ms, 0)) / 1000;
    const double fill = std::max(part_of_columns(), part_of_time(duration_ms));
    return 1 + fill * fill + cost_inside_ + kSecondTooShort * too_short_s + cost_of_cut();
  }

 private:
  static double cost_of_keeping(const Piece& before, const Piece& after) {
    const std::int64_t pause_ms =
        std::max<std::int64_t>(after.start_ms - before.end_ms - kPauseMs, 0);
    return (before.end == PhraseEnd::kSentence ? kSentenceEndInside : 0) +
           kSecondOfPauseInside * static_cast<double>(pause_ms) / 1000;
  }

  double cost_of_cut() const {
    const Piece& last = pieces_[end_ - 1];
    if (end_ == pieces_.size() || last.end == PhraseEnd::kSentence) return 0;
    const bool is_paused = pieces_[end_].start_ms - last.end_ms >= kPauseMs;
    const bool is_natural = last.end == PhraseEnd::kClause || last.ends_segment || is_paused;
    return is_natural ? kCutAtClause : kCutInClause;
  }

  double part_of_columns() const {
    if (limits_.max_line_columns == 0 || limits_.max_lines == 0) return 0;
    const double room = double{1} * limits_.max_line_columns * limits_.max_lines;
    return std::min(1.0, num_columns_ / room);
  }

  double part_of_time(std::int64_t duration_ms) const {
    if (limits_.max_cue_s <= 0) return 0;
    return std::min(1.0,
                    static_cast<double>(duration_ms) / static_cast<double>(max_cue_ms(limits_)));
  }

  std::span<const Piece> pieces_;
  std::size_t begin_;
  std::size_t end_;
  const CueLimits& limits_;
  LineFiller lines_;
  double cost_inside_ = 0;
  int num_columns_ = 0;
};

// From the best way to each piece back to the beginning: the ends of the parts, in order.
std::vector<std::size_t> trace(const std::vector<std::size_t>& begin_of_best) {
  std::vector<std::size_t> ends;
  for (std::size_t at = begin_of_best.size() - 1; at > 0; at = begin_of_best[at])
    ends.push_back(at);
  std::ranges::reverse(ends);
  return ends;
}

std::vector<std::size_t> cut_into_cues(std::span<const Piece> pieces, const CueLimits& limits) {
  std::vector<double> best(pieces.size() + 1, kInfinite);
  std::vector<std::size_t> begin_of_best(pieces.size() + 1, 0);
  best[0] = 0;
  for (std::size_t begin = 0; begin < pieces.size(); ++begin) {
    CueCost cost(pieces, begin, limits);
    const std::size_t last = std::min(pieces.size(), begin + kMaxPieces);
    for (std::size_t end = begin + 1; end <= last && cost.add(); ++end) {
      const double total = best[begin] + cost.value();
      if (total >= best[end]) continue;
      best[end] = total;
      begin_of_best[end] = begin;
    }
  }
  return trace(begin_of_best);
}

// Ways to cut the first pieces into some number of lines: the cheapest to each piece.
struct LineCuts {
  std::vector<double> best;
  std::vector<std::size_t> begin_of_last_line;
};

double cost_of_line(std::span<const Piece> pieces, std::size_t end, double fill) {
  const PhraseEnd phrase = end == pieces.size() ? PhraseEnd::kSentence : pieces[end - 1].end;
  const double cut = phrase == PhraseEnd::kSentence ? 0
                     : phrase == PhraseEnd::kClause ? kLineCutAtClause
                                                    : kLineCutInClause;
  return std::min(1.0, fill * fill) + cut;
}

LineCuts with_one_line_more(std::span<const Piece> pieces, const CueLimits& limits,
                            const std::vector<double>& best, int width) {
  LineCuts cuts{std::vector<double>(pieces.size() + 1, kInfinite),
                std::vector<std::size_t>(pieces.size() + 1, 0)};
  for (std::size_t begin = 0; begin < pieces.size(); ++begin) {
    if (best[begin] == kInfinite) continue;
    LineFiller line(limits);
    for (std::size_t end = begin + 1; end <= pieces.size(); ++end) {
      line.add(pieces[end - 1]);
      if (line.num_lines() > 1) break;
      const double fill = static_cast<double>(line.num_columns()) / width;
      const double total = best[begin] + cost_of_line(pieces, end, fill);
      if (total >= cuts.best[end]) continue;
      cuts.best[end] = total;
      cuts.begin_of_last_line[end] = begin;
    }
  }
  return cuts;
}

// The ends of a cue's lines: as few as it takes, and these as even as their ends allow.
std::vector<std::size_t> cut_into_lines(std::span<const Piece> pieces, const CueLimits& limits) {
  LineFiller filled(limits);
  int total_columns = 0;
  for (const Piece& piece : pieces) {
    filled.add(piece);
    total_columns += piece.num_columns + 1;
  }
  const int width = limits.max_line_columns > 0 ? limits.max_line_columns : total_columns;
  std::vector<double> best(pieces.size() + 1, kInfinite);
  best[0] = 0;
  std::vector<std::vector<std::size_t>> begins;
  for (int line = 0; line < filled.num_lines(); ++line) {
    LineCuts cuts = with_one_line_more(pieces, limits, best, width);
    best = std::move(cuts.best);
    begins.push_back(std::move(cuts.begin_of_last_line));
  }

  std::vector<std::size_t> ends;
  std::size_t at = pieces.size();
  for (; !begins.empty(); begins.pop_back()) {
    ends.push_back(at);
    at = begins.back()[at];
  }
  std::ranges::reverse(ends);
  return ends;
}

std::string text_of(std::span<const Piece> pieces) {
  std::string text;
  for (const Piece& piece : pieces) {
    if (piece.has_space_before && !text.empty()) text += ' ';
    text += piece.text;
  }
  return text;
}

Cue make_cue(std::span<const Piece> pieces, const CueLimits& limits) {
  Cue cue;
  cue.start_ms = pieces.front().start_ms;
  cue.end_ms = pieces.back().end_ms;
  // One word whose time was found too long; what is said ends with it.
  cue.end_ms = std::min(cue.end_ms - cue.start_ms, max_cue_ms(limits)) + cue.start_ms;
  cue.text = text_of(pieces);
  std::size_t begin = 0;
  for (const std::size_t end : cut_into_lines(pieces, limits)) {
    cue.lines.push_back(text_of(pieces.subspan(begin, end - begin)));
    begin = end;
  }
  return cue;
}

// How many of the pieces may share a cue: all up to a long pause, or those of a segment.
std::size_t run_length(std::span<const Piece> pieces, bool joins) {
  std::size_t end = 1;
  for (; end < pieces.size(); ++end) {
    const Piece& last = pieces[end - 1];
    const bool is_long_pause = pieces[end].start_ms - last.end_ms > kLongPauseMs;
    if (joins ? is_long_pause : last.ends_segment) break;
  }
  return end;
}

bool fits_into_one_cue(std::span<const Piece> pieces, const CueLimits& limits) {
  CueCost cost(pieces, 0, limits);
  return std::ranges::all_of(pieces, [&](const Piece&) { return cost.add(); });
}

}  // namespace

bool joins_segments(const CueLimits& limits) {
  return limits.max_line_columns > 0 && limits.max_lines > 0;
}

std::vector<Cue> shape_cues(std::span<const Piece> pieces, const CueLimits& limits) {
  const bool joins = joins_segments(limits);
  std::vector<Cue> cues;
  while (!pieces.empty()) {
    const std::span<const Piece> run = pieces.first(run_length(pieces, joins));
    const bool is_whole = !joins && fits_into_one_cue(run, limits);
    const std::vector<std::size_t> ends =
        is_whole ? std::vector<std::size_t>{run.size()} : cut_into_cues(run, limits);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      cues.push_back(make_cue(run.subspan(begin, end - begin), limits));
      begin = end;
    }
    pieces = pieces.subspan(run.size());
  }
  return cues;
}

}  // namespace steno::output
