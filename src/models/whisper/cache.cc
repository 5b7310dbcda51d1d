#include "models/whisper/cache.h"

namespace steno::models::whisper {
namespace {

int pages_for(const Config& config, int max_rows) {
  const int longest = static_cast<int>(config.max_target_positions);
  const int pages = (longest + Cache::kPageTokens - 1) / Cache::kPageTokens;
  // One more a row: a copy is taken before the shared page is let go.
  return max_rows * (pages + 1);
}

}  // namespace

Cache::Cache(ops::Ops& ops, const Config& config, int max_windows, int max_rows, Types types)
    : max_rows_(max_rows),
      windows_(max_windows, static_cast<int>(config.max_source_positions)),
      tokens_(pages_for(config, max_rows), kPageTokens) {
  const int heads = config.decoder_attention_heads;
  const int head_dim = static_cast<int>(config.d_model) / heads;
  for (std::int64_t i = 0; i < config.decoder_layers; ++i) {
    cross_.push_back(ops.make_kv_pages(windows_.num_pages(), windows_.page_tokens(), heads,
                                       head_dim, types.cross));
    self_.push_back(
        ops.make_kv_pages(tokens_.num_pages(), kPageTokens, heads, head_dim, types.self));
  }
}

}  // namespace steno::models::whisper
