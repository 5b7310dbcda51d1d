// One window's text in the making: prompt, rules, hypotheses, and the pages that hold their keys.
//
// No tensors are computed here.
// Path: models/whisper/model (start, step) -> here -> forward_batch -> models/whisper/decoder.
// Source: whisper/decoding.py DecodingTask, v20250625.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "models/forward_batch.h"
#include "models/model.h"
#include "models/whisper/decoding/draft.h"
#include "models/whisper/decoding/logit_rules.h"
#include "models/whisper/decoding/token_decoder.h"
#include "models/whisper/vocabulary.h"
#include "nn/page_table.h"

namespace steno::models::whisper {

// What the tokens before the first sampled one are.
struct Prompt {
  std::vector<int> tokens;  // [startofprev, previous text]? sot sequence [notimestamps]? prefix?
  int sot_index = 0;
};

// `max_positions`: S of the model (448). Previous text is cut to its last S / 2 - 1 tokens.
// Throws Error(kInvalidValue) when the prefix leaves no room.
Prompt make_prompt(const DecodeOptions& options, const Vocabulary& vocabulary, int max_positions);

class WhisperWindow : public Window {
 public:
  WhisperWindow(nn::PagePool& pool, int num_positions)
      : pool_(pool), page_(pool.take()), num_positions_(num_positions) {}
  ~WhisperWindow() override { pool_.release(page_); }
  WhisperWindow(const WhisperWindow&) = delete;
  WhisperWindow& operator=(const WhisperWindow&) = delete;

  std::int32_t page() const { return page_; }
  ops::KvSpan span() const { return {{&page_, 1}, num_positions_}; }

 private:
  nn::PagePool& pool_;
  std::int32_t page_;
  std::int32_t num_positions_;
};

class WhisperSequence : public Sequence {
 public:
  // `max_new_tokens` >= 1 and `max_positions`: the limits of the text. A draft that has tokens
  // requires a decoder of one row.
  WhisperSequence(const Vocabulary& vocabulary, std::shared_ptr<const WhisperWindow> window,
                  Prompt prompt, LogitRules rules, std::unique_ptr<TokenDecoder> decoder,
                  Draft draft, nn::PagePool& pages, int max_new_tokens, int max_positions,
                  std::optional<double> length_penalty, double temperature);

  bool is_done() const override { return is_done_; }
  // Without the compression ratio: it needs the tokenizer, and the model adds it.
  WindowText result() override;

  // Adds the rows of the next step.
  void append_to(ForwardBatch& batch);
  // logits: the rows that append_to() asked for, in that order. They are changed.
  void accept(std::span<const std::span<float>> logits);

 private:
  void append_prompt(ForwardBatch& batch);
  void append_hypotheses(ForwardBatch& batch);
  void append_draft(ForwardBatch& batch);
  bool accept_row(std::span<const std::span<float>> logits);
  void follow(std::span<const int> sources);

  const Vocabulary& vocabulary_;
  std::shared_ptr<const WhisperWindow> window_;
  Prompt prompt_;
  LogitRules rules_;
  std::unique_ptr<TokenDecoder> decoder_;
  Draft draft_;
  std::vector<int> drafted_;         // what the step under way looks at behind the last token
  std::vector<nn::PageList> pages_;  // of decoder_->rows()
  int max_new_tokens_;
  int max_positions_;
  std::optional<double> length_penalty_;
  double temperature_;

  int num_steps_ = 0;
  bool is_done_ = false;
  double no_speech_prob_ = 0;
};

}  // namespace steno::models::whisper
