#include "scoring/alignment.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <unordered_map>
#include <vector>

namespace steno::scoring {
namespace {

using Symbols = std::span<const std::uint32_t>;
using Bits = std::vector<std::uint64_t>;

constexpr std::size_t kWordBits = 64;

bool bit(const std::uint64_t* bits, std::size_t at) {
  return (bits[at / kWordBits] >> (at % kWordBits) & 1) != 0;
}

// One column of the distance matrix D, which has the reference down its side: where
// D[i + 1] - D[i] is +1 and where it is -1. Grows by a symbol of the hypothesis at a time.
class Column {
 public:
  explicit Column(Symbols reference)
      : num_words_((reference.size() + kWordBits - 1) / kWordBits),
        plus_(num_words_, ~std::uint64_t{0}),
        minus_(num_words_, 0),
        nowhere_(num_words_, 0) {
    for (std::size_t i = 0; i < reference.size(); ++i) {
      Bits& places = places_.try_emplace(reference[i], num_words_, 0).first->second;
      places[i / kWordBits] |= std::uint64_t{1} << (i % kWordBits);
    }
  }

  void advance(std::uint32_t symbol) {
    const auto found = places_.find(symbol);
    const Bits& places = found == places_.end() ? nowhere_ : found->second;
    std::uint64_t plus_carry = 1;  // the top row grows by one with each symbol
    std::uint64_t minus_carry = 0;
    for (std::size_t w = 0; w < num_words_; ++w) {
      const std::uint64_t vp = plus_[w];
      const std::uint64_t vn = minus_[w];
      const std::uint64_t x = places[w] | minus_carry;
      const std::uint64_t d0 = (((x & vp) + vp) ^ vp) | x | vn;
      std::uint64_t hp = vn | ~(d0 | vp);
      std::uint64_t hn = d0 & vp;
      const std::uint64_t next_plus = hp >> (kWordBits - 1);
      const std::uint64_t next_minus = hn >> (kWordBits - 1);
      hp = (hp << 1) | plus_carry;
      hn = (hn << 1) | minus_carry;
      plus_carry = next_plus;
      minus_carry = next_minus;
      plus_[w] = hn | ~(d0 | hp);
      minus_[w] = hp & d0;
    }
  }

  const Bits& plus() const { return plus_; }
  const Bits& minus() const { return minus_; }

 private:
  std::size_t num_words_;
  std::unordered_map<std::uint32_t, Bits> places_;
  Bits plus_;
  Bits minus_;
  Bits nowhere_;
};

// D of every prefix of the reference against the whole hypothesis.
std::vector<std::size_t> last_column(Symbols reference, Symbols hypothesis) {
  Column column(reference);
  for (const std::uint32_t symbol : hypothesis) column.advance(symbol);
  std::vector<std::size_t> distances = {hypothesis.size()};
  for (std::size_t i = 0; i < reference.size(); ++i) {
    distances.push_back(distances.back() + bit(column.plus().data(), i) -
                        bit(column.minus().data(), i));
  }
  return distances;
}

// Walks back through the kept matrix. TRAP: deletions first, then insertions, then the diagonal;
// the counts depend on the order.
void align(Symbols reference, Symbols hypothesis, Edits& edits) {
  Column column(reference);
  Bits plus;
  Bits minus;
  for (const std::uint32_t symbol : hypothesis) {
    column.advance(symbol);
    plus.insert(plus.end(), column.plus().begin(), column.plus().end());
    minus.insert(minus.end(), column.minus().begin(), column.minus().end());
  }
  const std::size_t num_words = column.plus().size();
  std::size_t i = reference.size();
  std::size_t j = hypothesis.size();
  while (i > 0 && j > 0) {
    if (bit(&plus[(j - 1) * num_words], i - 1)) {
      ++edits.deletions;
      --i;
      continue;
    }
    --j;
    if (j > 0 && bit(&minus[(j - 1) * num_words], i - 1)) {
      ++edits.insertions;
      continue;
    }
    --i;
    ++(reference[i] == hypothesis[j] ? edits.hits : edits.substitutions);
  }
  edits.deletions += static_cast<std::int64_t>(i);
  edits.insertions += static_cast<std::int64_t>(j);
}

struct Split {
  std::size_t at = 0;  // in the reference
  std::size_t left_distance = 0;
  std::size_t right_distance = 0;
};

// Where a least alignment crosses the middle of the hypothesis: the first such place.
Split find_split(Symbols reference, Symbols hypothesis, std::size_t middle) {
  const std::vector<std::uint32_t> reversed_reference(reference.rbegin(), reference.rend());
  const std::vector<std::uint32_t> reversed_hypothesis(
      hypothesis.rbegin(), hypothesis.rend() - static_cast<std::ptrdiff_t>(middle));
  const auto left = last_column(reference, hypothesis.first(middle));
  const auto right = last_column(reversed_reference, reversed_hypothesis);
  Split best;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (std::size_t at = 1; at <= reference.size(); ++at) {
    const std::size_t right_distance = right[reference.size() - at];
    if (left[at] + right_distance < least) {
      least = left[at] + right_distance;
      best = {at, left[at], right_distance};
    }
  }
  return best;
}

// `max_distance` bounds the distance; it decides, as in RapidFuzz, what counts as too long.
void align_any_length(Symbols reference, Symbols hypothesis, std::size_t max_distance,
                      Edits& edits) {
  const auto num_equal = [](auto a, auto a_end, auto b, auto b_end) {
    return static_cast<std::size_t>(std::mismatch(a, a_end, b, b_end).first - a);
  };
  const std::size_t head =
      num_equal(reference.begin(), reference.end(), hypothesis.begin(), hypothesis.end());
  reference = reference.subspan(head);
  hypothesis = hypothesis.subspan(head);
  const std::size_t tail =
      num_equal(reference.rbegin(), reference.rend(), hypothesis.rbegin(), hypothesis.rend());
  reference = reference.first(reference.size() - tail);
  hypothesis = hypothesis.first(hypothesis.size() - tail);
  edits.hits += static_cast<std::int64_t>(head + tail);

  constexpr std::size_t kMaxMatrixBytes = std::size_t{1} << 20;
  max_distance = std::min(max_distance, std::max(reference.size(), hypothesis.size()));
  const std::size_t band = std::min(reference.size(), 2 * max_distance + 1);
  const std::size_t matrix_bytes = 2 * band * hypothesis.size() / 8;
  if (matrix_bytes < kMaxMatrixBytes || reference.size() <= kWordBits || hypothesis.size() < 10) {
    return align(reference, hypothesis, edits);
  }
  const std::size_t middle = hypothesis.size() / 2;
  const Split split = find_split(reference, hypothesis, middle);
  align_any_length(reference.first(split.at), hypothesis.first(middle), split.left_distance, edits);
  align_any_length(reference.subspan(split.at), hypothesis.subspan(middle), split.right_distance,
                   edits);
}

}  // namespace

Edits count_edits(Symbols reference, Symbols hypothesis) {
  Edits edits;
  align_any_length(reference, hypothesis, std::numeric_limits<std::size_t>::max() / 4, edits);
  return edits;
}

}  // namespace steno::scoring
