// Fuzzes the safetensors parser: one file, no shards.
#include "read_checkpoint.h"
#include "weights/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  steno::fuzz::read_checkpoint(steno::weights::open_safetensors, data, size);
  return 0;
}
