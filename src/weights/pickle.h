// The part of Python's pickle that a torch checkpoint needs, as plain data: nothing in a file can
// run, or make an object of any class but those of `PickleGlobal`.
//
// Values refer to each other by index, so what is shared is stored once, cycles do no harm and
// nothing recurses. Memory is bounded by the size of the text.
// Source: Python 3.11 Lib/pickletools.py (opcodes of protocols 2 to 5); torch 2.13
// torch/_weights_only_unpickler.py (which globals a state dictionary needs).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tensor/dtype.h"

namespace steno::weights {

using PickleIndex = int;  // of Pickle::values

enum class PickleGlobal { kOrderedDict, kRebuildTensor, kRebuildParameter, kStorageType, kSize };

struct PickleNone {};
struct PickleTuple {
  std::vector<PickleIndex> items;
};
struct PickleList {
  std::vector<PickleIndex> items;
};
struct PickleDict {
  std::vector<std::pair<PickleIndex, PickleIndex>> items;
};
struct PickleClass {
  PickleGlobal global;
  DType dtype = DType::kF32;  // of a storage type
  std::string unreadable{};   // a storage type that no tensor here can have: its name
};
// Bytes in a file of their own.
struct PickleStorage {
  DType dtype;
  std::string unreadable{};
  std::string key;  // the file's name
  std::uint64_t num_elements = 0;
};
// A view of a storage. Nothing of it is checked against the storage's size.
struct PickleTensor {
  PickleIndex storage;
  std::uint64_t offset = 0;  // in elements, as the strides
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> strides;
};

using PickleValue = std::variant<PickleNone, bool, std::int64_t, double, std::string, PickleTuple,
                                 PickleList, PickleDict, PickleClass, PickleStorage, PickleTensor>;

struct Pickle {
  std::vector<PickleValue> values;
  PickleIndex root = 0;
};

// Throws Error(kInvalidModel) that begins with `where` and names the byte, and the global or opcode
// that was refused.
Pickle parse_pickle(std::string_view text, std::string_view where);

}  // namespace steno::weights
