#include "text/compression.h"

#include <zlib.h>

#include <vector>

#include "base/check.h"

namespace steno::text {

double compression_ratio(std::string_view text) {
  const auto num_bytes = static_cast<uLong>(text.size());
  std::vector<Bytef> compressed(compressBound(num_bytes));
  uLongf num_compressed = compressed.size();
  const int status = compress2(compressed.data(), &num_compressed,
                               reinterpret_cast<const Bytef*>(text.data()), num_bytes, 6);
  STENO_CHECK(status == Z_OK, "zlib says {}", status);
  return static_cast<double>(num_bytes) / static_cast<double>(num_compressed);
}

}  // namespace steno::text
