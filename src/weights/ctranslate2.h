// CTranslate2's model.bin, binary versions 4 to 6 (which differ in nothing that matters here).
//
// u32 version | string spec | u32 revision | u32 count | variables | u32 count | aliases, all
// little-endian:
//   variable = string name | u8 rank | u32 dims[rank] | u8 dtype | u32 byte count | bytes
//   alias    = string alias | string name        string = u16 length with its NUL | bytes | NUL
// A quantised `x` comes with `x_scale`: the number is q / scale, one scale a row (int8) or one for
// all (int16).
// Source: CTranslate2 v4, src/models/model.cc Model::load, python/ctranslate2/specs/model_spec.py.
#pragma once

#include <memory>

#include "weights/checkpoint.h"

namespace steno::weights {

// Throws Error(kInvalidModel) naming the file, the byte or variable, and what is wrong.
std::unique_ptr<Checkpoint> open_ctranslate2(std::unique_ptr<ByteSource> file);

}  // namespace steno::weights
