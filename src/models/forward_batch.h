// One step of a decoder as plain data: rows of tokens from many sequences, and where their keys
// live.
//
// A prompt is several rows of one sequence with rising positions, a running beam is one row: there
// is no prefill and no decode phase, only tokens that were computed and tokens that were not.
// Path: models/<family>/sequence fills it -> models/<family>/decoder runs it.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/ops.h"

namespace steno::models {

struct ForwardBatch {
  // One entry for each row.
  std::vector<std::int32_t> tokens;
  std::vector<std::int32_t> positions;
  std::vector<ops::KvSlot> slots;        // where the row's own key and value go
  std::vector<ops::KvSpan> self_spans;   // what it sees of its sequence, itself included
  std::vector<ops::KvSpan> cross_spans;  // what it sees of its encoded window

  // Rows whose logits are wanted, ascending.
  std::vector<std::int32_t> logit_rows;

  // Pages to copy before anything is stored (beams that part ways).
  struct PageCopy {
    std::int32_t from = 0;
    std::int32_t to = 0;
  };
  std::vector<PageCopy> copies;

  int num_rows() const { return static_cast<int>(tokens.size()); }
};

}  // namespace steno::models
