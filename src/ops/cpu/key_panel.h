// Keys of int8 in the panels of the products: [ceil(E / group)][columns][group].
//
// Path: kv_pages, integer_attention -> here.
#pragma once

#include <cstdint>
#include <cstring>

namespace steno::ops::cpu {

template <std::int64_t kGroup>
void store_key(const std::int8_t* key, std::int64_t head_dim, std::int64_t columns,
               std::int64_t column, std::int8_t* panel) {
  std::int8_t* out = panel + column * kGroup;
  std::int64_t e = 0;
  for (; e + kGroup <= head_dim; e += kGroup, out += columns * kGroup) {
    std::memcpy(out, key + e, kGroup);
  }
  if (e == head_dim) return;
  for (std::int64_t i = 0; i < kGroup; ++i) {
    out[i] = e + i < head_dim ? key[e + i] : std::int8_t{0};
  }
}

// The key of `column`, padded with zeros to whole groups of 2 or 4.
inline void store_key(const std::int8_t* key, std::int64_t head_dim, std::int64_t group,
                      std::int64_t columns, std::int64_t column, std::int8_t* panel) {
  if (group == 4) {
    store_key<4>(key, head_dim, columns, column, panel);
  } else {
    store_key<2>(key, head_dim, columns, column, panel);
  }
}

}  // namespace steno::ops::cpu
