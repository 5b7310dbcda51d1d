#include "models/whisper/sequence.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "ops/logits_math.h"

namespace steno::models::whisper {
namespace {

// As many rows are computed while the weights of one are read.
constexpr int kMaxDraftRows = 15;

}  // namespace

Prompt make_prompt(const DecodeOptions& options, const Vocabulary& vocabulary, int max_positions) {
  Prompt prompt;
  const std::vector<int>& previous = options.prompt_tokens;
  if (!previous.empty()) {
    const auto kept = std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(previous.size()),
                                               max_positions / 2 - 1);
    prompt.tokens.push_back(vocabulary.startofprev);
    prompt.tokens.insert(prompt.tokens.end(), previous.end() - kept, previous.end());
  }
  prompt.sot_index = static_cast<int>(prompt.tokens.size());
  for (const int token : vocabulary.sot_sequence(options.language, options.translate)) {
    prompt.tokens.push_back(token);
  }
  if (options.without_timestamps) prompt.tokens.push_back(vocabulary.notimestamps);

  // A limit below half the context leaves its difference for the prefix. TRAP: with none left over
  // the reference keeps the whole prefix (a slice [-0:]), and so do we.
  const int spare = options.max_new_tokens > 0 ? max_positions / 2 - options.max_new_tokens : 0;
  const std::vector<int>& prefix = options.prefix_tokens;
  const auto kept =
      spare > 0 ? std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(prefix.size()), spare)
                : static_cast<std::ptrdiff_t>(prefix.size());
  prompt.tokens.insert(prompt.tokens.end(), prefix.end() - kept, prefix.end());
  if (static_cast<int>(prompt.tokens.size()) >= max_positions) {
    throw Error(
        ErrorCode::kInvalidValue,
        "prompt and prefix take {} tokens, but the model has room for {}: shorten the prefix",
        prompt.tokens.size(), max_positions - 1);
  }
  return prompt;
}

WhisperSequence::WhisperSequence(const Vocabulary& vocabulary,
                                 std::shared_ptr<const WhisperWindow> window, Prompt prompt,
                                 LogitRules rules, std::unique_ptr<TokenDecoder> decoder,
                                 Draft draft, nn::PagePool& pages, int max_new_tokens,
                                 int max_positions, std::optional<double> length_penalty,
                                 double temperature)
    : vocabulary_(vocabulary),
      window_(std::move(window)),
      prompt_(std::move(prompt)),
      rules_(std::move(rules)),
      decoder_(std::move(decoder)),
      draft_(std::move(draft)),
      max_new_tokens_(max_new_tokens),
      max_positions_(max_positions),
      length_penalty_(length_penalty),
      temperature_(temperature) {
  pages_.emplace_back(pages);
}

void WhisperSequence::append_to(ForwardBatch& batch) {
  const std::size_t first_row = batch.self_spans.size();
  if (num_steps_ == 0) {
    append_prompt(batch);
  } else {
    append_hypotheses(batch);
  }
  append_draft(batch);
  if (drafted_.empty()) return;
  // TRAP: the draft's pages may have moved the list of them.
  for (std::size_t r = first_row; r < batch.self_spans.size(); ++r) {
    batch.self_spans[r].pages = pages_.front().pages();
  }
}

void WhisperSequence::append_prompt(ForwardBatch& batch) {
  nn::PageList& pages = pages_.front();
  const int first_row = batch.num_rows();
  const int size = static_cast<int>(prompt_.tokens.size());
  for (int i = 0; i < size; ++i) {
    batch.tokens.push_back(prompt_.tokens[static_cast<std::size_t>(i)]);
    batch.positions.push_back(i);
    batch.slots.push_back(pages.append().slot);
    batch.cross_spans.push_back(window_->span());
  }
  for (int i = 0; i < size; ++i) {  // after all pages were taken: they may have moved before
    batch.self_spans.push_back({pages.pages(), i + 1});
  }
  // No-speech is read at sot, the next token at the end; without a prompt and in English that is
  // one row.
  if (prompt_.sot_index != size - 1) batch.logit_rows.push_back(first_row + prompt_.sot_index);
  batch.logit_rows.push_back(first_row + size - 1);
}

void WhisperSequence::append_hypotheses(ForwardBatch& batch) {
  const std::vector<Hypothesis>& rows = decoder_->rows();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const nn::PageList::Appended appended = pages_[i].append();
    if (appended.copy) batch.copies.push_back({appended.copy->from, appended.copy->to});
    batch.logit_rows.push_back(batch.num_rows());
    batch.tokens.push_back(rows[i].tokens.back());
    batch.positions.push_back(pages_[i].num_tokens() - 1);
    batch.slots.push_back(appended.slot);
    batch.self_spans.push_back({pages_[i].pages(), pages_[i].num_tokens()});
    batch.cross_spans.push_back(window_->span());
  }
}

// The tokens that the draft expects, each a row behind the one before.
void WhisperSequence::append_draft(ForwardBatch& batch) {
  nn::PageList& pages = pages_.front();
  const int room = std::min(max_new_tokens_ - num_steps_ - 1, max_positions_ - pages.num_tokens());
  const std::span<const int> expected =
      draft_.next(static_cast<std::size_t>(std::clamp(room, 0, kMaxDraftRows)));
  drafted_.assign(expected.begin(), expected.end());
  const int num_before = pages.num_tokens();
  for (std::size_t i = 0; i < drafted_.size(); ++i) batch.slots.push_back(pages.append().slot);
  for (std::size_t i = 0; i < drafted_.size(); ++i) {
    const int position = num_before + static_cast<int>(i);
    batch.logit_rows.push_back(batch.num_rows());
    batch.tokens.push_back(drafted_[i]);
    batch.positions.push_back(position);
    batch.self_spans.push_back({pages.pages(), position + 1});
    batch.cross_spans.push_back(window_->span());
  }
}

void WhisperSequence::accept(std::span<const std::span<float>> logits) {
  if (num_steps_ == 0) {
    const std::span<const float> at_sot = logits.front();
    const float nospeech = at_sot[static_cast<std::size_t>(vocabulary_.nospeech)];
    no_speech_prob_ = std::exp(nospeech - ops::log_sum_exp(at_sot));
    logits = logits.subspan(prompt_.sot_index + 1 == std::ssize(prompt_.tokens) ? 0 : 1);
  }
  if (drafted_.empty()) {
    accept_row(logits);
    return;
  }
  const int num_before = pages_.front().num_tokens() - static_cast<int>(drafted_.size());
  for (std::size_t i = 0; i < logits.size(); ++i) {
    if (!accept_row(logits.subspan(i, 1))) return;
    const int token = decoder_->rows().front().tokens.back();
    draft_.follow(token);
    if (i < drafted_.size() && drafted_[i] == token) continue;
    pages_.front().truncate(num_before + static_cast<int>(i));
    return;
  }
}

// The next token of every hypothesis. False when that was the last.
bool WhisperSequence::accept_row(std::span<const std::span<float>> logits) {
  const std::vector<Hypothesis>& rows = decoder_->rows();
  std::vector<std::span<const float>> filtered;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    apply(rules_, vocabulary_, rows[i].tokens, logits[i]);
    filtered.emplace_back(logits[i]);
  }
  follow(decoder_->update(filtered));
  ++num_steps_;
  const int num_tokens = static_cast<int>(prompt_.tokens.size()) + num_steps_;
  is_done_ =
      decoder_->rows().empty() || num_steps_ == max_new_tokens_ || num_tokens > max_positions_;
  if (is_done_) pages_.clear();
  return !is_done_;
}

void WhisperSequence::follow(std::span<const int> sources) {
  std::vector<nn::PageList> next;
  next.reserve(sources.size());
  for (const int source : sources) next.push_back(pages_[static_cast<std::size_t>(source)].fork());
  pages_ = std::move(next);
}

WindowText WhisperSequence::result() {
  STENO_CHECK(is_done_);
  std::vector<Hypothesis> candidates = decoder_->finalize();
  Hypothesis& best =
      candidates[static_cast<std::size_t>(best_candidate(candidates, length_penalty_))];
  WindowText text;
  text.avg_logprob = best.sum_logprob / static_cast<double>(best.tokens.size() + 1);
  text.tokens = std::move(best.tokens);
  text.temperature = temperature_;
  text.no_speech_prob = no_speech_prob_;
  return text;
}

}  // namespace steno::models::whisper
