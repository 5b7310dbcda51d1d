// Least edits between two sequences of symbols, and which they are: jiwer's counts come from
// RapidFuzz, so among alignments with equally many edits this takes the one RapidFuzz 3 takes.
// Source: Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances"
// (2003); Hirschberg (1975) for what is too long to be kept.
#pragma once

#include <cstdint>
#include <span>

namespace steno::scoring {

struct Edits {
  std::int64_t hits = 0;
  std::int64_t substitutions = 0;
  std::int64_t deletions = 0;   // in the reference alone
  std::int64_t insertions = 0;  // in the hypothesis alone
};

Edits count_edits(std::span<const std::uint32_t> reference,
                  std::span<const std::uint32_t> hypothesis);

}  // namespace steno::scoring
