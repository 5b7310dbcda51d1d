#include "models/whisper/alignment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "models/forward_batch.h"
#include "models/whisper/decoder.h"
#include "models/whisper/sequence.h"
#include "models/whisper/time_warp.h"
#include "nn/attention.h"
#include "ops/logits_math.h"

namespace steno::models::whisper {
namespace {

// Rows of one forward pass: enough that reading the weights no longer counts, few enough that their
// states stay small. One text may be longer.
constexpr int kMaxRows = 256;

// Logits at a time: 26 MB in f32 for 128 rows of the largest vocabulary.
constexpr std::size_t kMaxLogitRows = 128;

constexpr int kPageTokens = Cache::kPageTokens;

// One request's part of a forward pass.
struct Text {
  const AlignRequest* request = nullptr;
  std::vector<int> tokens;           // sot sequence, notimestamps, text, eot
  std::vector<std::size_t> indices;  // of the text, in the request's tokens
  int num_before_text = 0;           // sot sequence and notimestamps
  int first_row = 0;
  std::vector<std::int32_t> pages = {};  // of its own keys
  ops::KvSpan audio;                     // what is no padding of its window
  HeadMean heads;

  int num_rows() const { return static_cast<int>(tokens.size()); }
};

Text make_text(const Aligner& a, const AlignRequest& request) {
  std::vector<int> tokens = a.vocabulary.sot_sequence(request.language, request.translate);
  tokens.push_back(a.vocabulary.notimestamps);
  const int num_before_text = static_cast<int>(tokens.size());
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < request.tokens.size(); ++i) {
    if (request.tokens[i] >= a.vocabulary.eot) continue;
    tokens.push_back(request.tokens[i]);
    indices.push_back(i);
  }
  tokens.push_back(a.vocabulary.eot);
  STENO_CHECK(std::ssize(tokens) <= a.config.max_target_positions, "{} tokens of {}", tokens.size(),
              a.config.max_target_positions);

  ops::KvSpan audio = static_cast<const WhisperWindow&>(*request.window).span();
  // TRAP: the padding is cut off before the softmax, not after.
  audio.num_keys = std::clamp(request.num_frames / kFramesPerPosition, 1, audio.num_keys);
  HeadMean heads(std::ssize(tokens), audio.num_keys);
  return {.request = &request,
          .tokens = std::move(tokens),
          .indices = std::move(indices),
          .num_before_text = num_before_text,
          .audio = audio,
          .heads = std::move(heads)};
}

// Appends the text's rows; its keys take the pages from `first_page` on. Returns the next free one.
std::int32_t append(Text& text, std::int32_t first_page, ForwardBatch& batch) {
  text.first_row = batch.num_rows();
  const int num_pages = (text.num_rows() + kPageTokens - 1) / kPageTokens;
  for (int p = 0; p < num_pages; ++p) text.pages.push_back(first_page + p);
  const ops::KvSpan window = static_cast<const WhisperWindow&>(*text.request->window).span();
  for (int i = 0; i < text.num_rows(); ++i) {
    batch.tokens.push_back(text.tokens[static_cast<std::size_t>(i)]);
    batch.positions.push_back(i);
    batch.slots.push_back({first_page + i / kPageTokens, i % kPageTokens});
    batch.self_spans.push_back({text.pages, i + 1});
    batch.cross_spans.push_back(window);
  }
  return first_page + num_pages;
}

// The keys of one layer are needed no longer than that layer: all layers share these pages.
std::vector<ops::KvPages> make_shared_pages(ops::Ops& ops, const Config& config, int num_pages) {
  const int heads = config.decoder_attention_heads;
  const ops::KvPages pages = ops.make_kv_pages(
      num_pages, kPageTokens, heads, static_cast<int>(config.d_model) / heads, DType::kF32);
  return std::vector<ops::KvPages>(static_cast<std::size_t>(config.decoder_layers), pages);
}

std::vector<int> heads_in(const std::vector<AlignmentHead>& all, std::size_t layer) {
  std::vector<int> heads;
  for (const AlignmentHead& h : all) {
    if (h.layer == static_cast<int>(layer)) heads.push_back(h.head);
  }
  return heads;
}

// Adds what the alignment heads of one layer say. q [R, D].
void listen(ops::Ops& ops, const Aligner& a, std::size_t layer, const Tensor& q,
            std::span<Text> texts) {
  const std::vector<int> heads = heads_in(a.config.alignment_heads, layer);
  if (heads.empty()) return;
  const ops::AttentionOptions options = cross_attention_options(a.config);
  for (Text& text : texts) {
    const Tensor rows = q.slice(text.first_row, text.first_row + text.num_rows());
    const Tensor weights = ops.attention_weights(rows, a.cache.cross()[layer], text.audio, heads,
                                                 options);  // [H, R, K]
    const auto size = static_cast<std::size_t>(weights.num_elements()) / heads.size();
    for (std::size_t i = 0; i < heads.size(); ++i) {
      text.heads.add({weights.data<float>() + i * size, size});
    }
  }
}

// How likely each token of the text was after those before it. states [R, D].
std::vector<double> probabilities(ops::Ops& ops, const Aligner& a, const Tensor& states,
                                  const Text& text) {
  std::vector<double> result;
  const std::size_t num_tokens = text.indices.size();
  for (std::size_t begin = 0; begin < num_tokens; begin += kMaxLogitRows) {
    const std::size_t end = std::min(begin + kMaxLogitRows, num_tokens);
    const int first_row = text.first_row + text.num_before_text - 1;
    const Tensor logits = project_logits(
        ops, a.weights,
        states.slice(first_row + static_cast<int>(begin), first_row + static_cast<int>(end)));
    for (std::size_t i = begin; i < end; ++i) {
      // Text only: specials and timestamps have no part in it.
      const std::span<const float> row(
          logits
              .slice(static_cast<std::int64_t>(i - begin), static_cast<std::int64_t>(i - begin) + 1)
              .data<float>(),
          static_cast<std::size_t>(a.vocabulary.eot));
      const int token = text.request->tokens[text.indices[i]];
      result.push_back(
          std::exp(double{row[static_cast<std::size_t>(token)]} - ops::log_sum_exp(row)));
    }
  }
  return result;
}

Alignment finish(ops::Ops& ops, const Aligner& a, const Tensor& states, const Text& text) {
  const std::vector<double> likely = probabilities(ops, a, states, text);
  // Row i of what is left tells when token i is predicted, the last one when the text ends.
  const std::int64_t columns = text.audio.num_keys;
  const std::int64_t first = text.num_before_text - 1;
  std::vector<float> cost = text.heads.mean();
  for (float& x : cost) x = -x;
  const std::int64_t num_rows = std::ssize(text.indices) + 1;
  const std::vector<int> starts =
      warp_rows({std::span(cost).subspan(static_cast<std::size_t>(first * columns),
                                         static_cast<std::size_t>(num_rows * columns)),
                 num_rows, columns});
  Alignment alignment;
  for (std::size_t i = 0; i < text.indices.size(); ++i) {
    alignment.tokens.push_back({text.indices[i], likely[i], starts[i]});
  }
  alignment.end_position = starts.back();
  return alignment;
}

// One forward pass.
void align_texts(ops::Ops& ops, const Aligner& a, std::span<Text> texts,
                 std::span<Alignment> results) {
  ForwardBatch batch;
  std::int32_t num_pages = 0;
  for (Text& text : texts) num_pages = append(text, num_pages, batch);
  std::vector<ops::KvPages> pages = make_shared_pages(ops, a.config, num_pages);
  const Tensor states =
      decode_states(ops, a.weights, a.config, batch, {pages, a.cache.cross()},
                    [&](std::size_t layer, const Tensor& q) { listen(ops, a, layer, q, texts); });
  for (std::size_t i = 0; i < texts.size(); ++i) results[i] = finish(ops, a, states, texts[i]);
}

bool has_text(const Text& text) {
  return !text.indices.empty();
}

}  // namespace

std::vector<Alignment> align(ops::Ops& ops, const Aligner& aligner,
                             std::span<const AlignRequest> requests) {
  std::vector<Alignment> results(requests.size());
  std::size_t begin = 0;
  while (begin < requests.size()) {
    std::vector<Text> texts;
    std::vector<std::size_t> members;
    int num_rows = 0;
    std::size_t end = begin;
    for (; end < requests.size(); ++end) {
      Text text = make_text(aligner, requests[end]);
      if (!has_text(text)) continue;
      if (!texts.empty() && num_rows + text.num_rows() > kMaxRows) break;
      num_rows += text.num_rows();
      members.push_back(end);
      texts.push_back(std::move(text));
    }
    std::vector<Alignment> aligned(texts.size());
    if (!texts.empty()) align_texts(ops, aligner, texts, aligned);
    for (std::size_t i = 0; i < members.size(); ++i) results[members[i]] = std::move(aligned[i]);
    begin = end;
  }
  return results;
}

}  // namespace steno::models::whisper
