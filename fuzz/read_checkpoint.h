// Opens a checkpoint from bytes in memory and reads every tensor. Errors about the model are the
// expected outcome; anything else (a crash, a failed check, a wild allocation) is a finding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/error.h"
#include "weights/checkpoint.h"

namespace steno::fuzz {

using Opener = std::unique_ptr<weights::Checkpoint> (*)(std::unique_ptr<weights::ByteSource>);

inline void read_checkpoint(Opener opener, const std::uint8_t* data, std::size_t size) {
  try {
    const auto checkpoint =
        opener(weights::borrow_memory(std::as_bytes(std::span(data, size)), "fuzz"));
    for (const weights::TensorInfo& tensor : checkpoint->tensors()) {
      if (!tensor.unreadable.empty()) continue;
      checkpoint->read(tensor.name);
      checkpoint->read_f32(tensor.name);
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInvalidModel) throw;
  }
}

}  // namespace steno::fuzz
