// Fuzzes the parser of torch's archives: zip directory and pickle.
#include "read_checkpoint.h"
#include "weights/torch_archive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  steno::fuzz::read_checkpoint(steno::weights::open_torch, data, size);
  return 0;
}
