// The decoder's memory: pages of its own keys and values, and one page for each encoded window.
//
// Path: models/whisper/encoder fills the windows, models/whisper/decoder reads both. Sizes are
// chosen by reserve(); memory is touched only as it is used.
// Threads: one at a time.
#pragma once

#include <vector>

#include "models/whisper/config.h"
#include "nn/page_table.h"
#include "ops/ops.h"

namespace steno::models::whisper {

class Cache {
 public:
  // kF32, kBF16 or kI8.
  struct Types {
    DType cross = DType::kF32;
    DType self = DType::kF32;
  };

  // Room for `max_rows` sequences (beams count one each) of the longest text over `max_windows`
  // windows.
  Cache(ops::Ops& ops, const Config& config, int max_windows, int max_rows, Types types);

  int max_windows() const { return windows_.num_pages(); }
  int max_rows() const { return max_rows_; }

  // Nothing is held by a window or a sequence.
  bool is_idle() const {
    return windows_.num_free() == windows_.num_pages() && tokens_.num_free() == tokens_.num_pages();
  }

  nn::PagePool& windows() { return windows_; }  // one page a window
  nn::PagePool& tokens() { return tokens_; }    // pages of kPageTokens tokens

  // By decoder layer.
  std::vector<ops::KvPages>& cross() { return cross_; }
  std::vector<ops::KvPages>& self() { return self_; }

  // One AVX-512 vector of scores; beams that part copy at most 15 tokens.
  static constexpr int kPageTokens = 16;

 private:
  int max_rows_;
  nn::PagePool windows_;
  nn::PagePool tokens_;
  std::vector<ops::KvPages> cross_;
  std::vector<ops::KvPages> self_;
};

}  // namespace steno::models::whisper
