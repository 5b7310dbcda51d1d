// How a window's text lies along its audio, from attention alone. Pure.
//
// Path: models/whisper/alignment (attention of the alignment heads) -> here -> Alignment.
// Source: whisper/timing.py find_alignment, median_filter, dtw_cpu, v20250625.
// Letters: R rows (tokens of the forward pass), K columns (positions of 20 ms).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace steno::models::whisper {

// A row-major matrix of somebody else.
struct MatrixView {
  std::span<const float> values;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

// The mean over heads of what each says of (token, position): its weight against those of the other
// tokens at that position, smoothed along the audio.
class HeadMean {
 public:
  HeadMean(std::int64_t rows, std::int64_t columns);

  // weights [R, K]: the softmax over the positions.
  void add(std::span<const float> weights);

  // [R, K]. Requires an add().
  std::vector<float> mean() const;

 private:
  std::int64_t rows_;
  std::int64_t columns_;
  int num_heads_ = 0;
  std::vector<float> sum_;
};

// (x - mean) / deviation over each column; the deviation is that of the population. DIFFERS: a
// column of equal values becomes zeros, where the reference divides by zero.
void standardise_columns(std::span<float> x, std::int64_t rows, std::int64_t columns);

// The median of seven neighbours, the row mirrored at its ends. A row of at most three stays as it
// is.
void median_filter_7(std::span<const float> row, std::span<float> out);

// The way of least cost from the first cell to the last, a step being one row, one column or both:
// the first column of each row on it. Ties go to the step along the row. Requires R, K >= 1.
std::vector<int> warp_rows(const MatrixView& cost);

}  // namespace steno::models::whisper
