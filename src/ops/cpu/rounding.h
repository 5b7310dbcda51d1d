// Sizes of blocks, panels and rows.
//
// Path: gemm, attention, kv_pages -> here.
#pragma once

#include <cstdint>

namespace steno::ops::cpu {

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

constexpr std::int64_t round_up(std::int64_t a, std::int64_t b) {
  return ceil_div(a, b) * b;
}

// Rows of at least so many bytes, an odd number of cache lines apart: rows a power of two apart
// would compete for the same few lines of the L1 cache.
constexpr std::int64_t row_stride_bytes(std::int64_t bytes) {
  return (ceil_div(bytes, 64) | 1) * 64;
}

}  // namespace steno::ops::cpu
