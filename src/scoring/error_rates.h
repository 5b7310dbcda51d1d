// Word and character error rates of normalised texts, as jiwer 4 counts them. Counts add up: a
// set's rate is all of its errors over all of its words, so a short clip weighs little.
// Path: *_normalizer -> here -> cli/bench_asr.
#pragma once

#include <cstdint>
#include <string_view>

#include "scoring/alignment.h"

namespace steno::scoring {

// Words are parted by white space.
Edits word_edits(std::string_view reference, std::string_view hypothesis);

// Code points, blanks too but those at the ends.
Edits character_edits(std::string_view reference, std::string_view hypothesis);

Edits& operator+=(Edits& sum, const Edits& edits);

std::int64_t num_errors(const Edits& edits);
std::int64_t num_reference(const Edits& edits);  // words or characters in the reference

// Errors over the reference's words or characters. As in jiwer, the errors where the reference is
// empty: a rate of 3 for three words that were made up.
double error_rate(const Edits& edits);

}  // namespace steno::scoring
