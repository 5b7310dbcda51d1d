// Fuzzes the parser of CTranslate2's model.bin.
#include "read_checkpoint.h"
#include "weights/ctranslate2.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  steno::fuzz::read_checkpoint(steno::weights::open_ctranslate2, data, size);
  return 0;
}
