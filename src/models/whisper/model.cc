#include "models/whisper/model.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/utf8.h"
#include "models/whisper/alignment.h"
#include "models/whisper/cache.h"
#include "models/whisper/checkpoint.h"
#include "models/whisper/config.h"
#include "models/whisper/decoder.h"
#include "models/whisper/decoding/beam_search.h"
#include "models/whisper/decoding/sampling.h"
#include "models/whisper/encoder.h"
#include "models/whisper/sequence.h"
#include "models/whisper/tokenizer_files.h"
#include "models/whisper/vocabulary.h"
#include "models/whisper/weights.h"
#include "ops/logits_math.h"
#include "text/compression.h"
#include "text/tokenizer.h"

namespace steno::models::whisper {
namespace {

// What all that share a model read and nobody changes.
struct Loaded {
  ModelInfo info;
  Config config;
  text::Tokenizer tokenizer;
  Vocabulary vocabulary;
  Weights weights;
  ops::ComputeType type;
  std::vector<int> blank_tokens;  // " " and eot
};

class WhisperModel : public Model {
 public:
  explicit WhisperModel(std::shared_ptr<const Loaded> loaded)
      : loaded_(std::move(loaded)),
        info_(loaded_->info),
        config_(loaded_->config),
        tokenizer_(loaded_->tokenizer),
        vocabulary_(loaded_->vocabulary),
        weights_(loaded_->weights),
        type_(loaded_->type) {}

  std::unique_ptr<Model> share() const override { return std::make_unique<WhisperModel>(loaded_); }

  const ModelInfo& info() const override { return info_; }
  ops::ComputeType compute_type() const override { return type_; }

  void check(const DecodeOptions& options) const override;

  std::vector<int> encode_text(std::string_view text) const override {
    return tokenizer_.encode(text);
  }
  std::string decode_text(std::span<const int> tokens) const override {
    return tokenizer_.decode(tokens);
  }
  std::optional<int> find_timestamp(int token) const override {
    if (!vocabulary_.is_timestamp(token)) return std::nullopt;
    return token - vocabulary_.timestamp_begin;
  }

  void reserve(ops::Ops& ops, const CacheConfig& config) override {
    if (cache_ != nullptr && cache_->max_windows() >= config.max_windows &&
        cache_->max_rows() >= config.max_rows) {
      return;
    }
    STENO_CHECK(cache_ == nullptr || cache_->is_idle(), "reserve() while sequences run");
    // int8 keeps f32 keys as CTranslate2 does.
    const DType dtype = type_ == ops::ComputeType::kBF16 ? DType::kBF16 : DType::kF32;
    cache_ = std::make_unique<Cache>(ops, config_, config.max_windows, config.max_rows,
                                     Cache::Types{config.window_dtype.value_or(dtype), dtype});
  }

  bool is_consistent() const override {
    return cache_ == nullptr ||
           (cache_->windows().is_consistent() && cache_->tokens().is_consistent());
  }

  using Model::encode;
  std::vector<std::shared_ptr<const Window>> encode(
      ops::Ops& ops, const Tensor& mel, const std::function<void()>& on_pause) override {
    STENO_CHECK(mel.dim(1) > 0 && mel.dim(1) <= info_.window_frames &&
                    mel.dim(1) % kFramesPerPosition == 0 && mel.dim(2) == config_.num_mel_bins,
                "mel {}", mel.shape().to_string());
    std::vector<std::shared_ptr<const Window>> windows;
    std::vector<std::int32_t> pages;
    for (std::int64_t i = 0; i < mel.dim(0); ++i) {
      auto window = std::make_shared<WhisperWindow>(
          cache_->windows(), static_cast<int>(mel.dim(1)) / kFramesPerPosition);
      pages.push_back(window->page());
      windows.push_back(std::move(window));
    }
    const Tensor states =
        whisper::encode(ops, weights_.encoder, config_, mel, type_, on_pause);  // [B, T, D]
    store_cross_attention(ops, weights_.decoder, config_, states, pages, *cache_);
    return windows;
  }

  std::vector<LanguageScore> detect_language(ops::Ops& ops,
                                             std::shared_ptr<const Window> window) override;

  std::unique_ptr<Sequence> start(std::shared_ptr<const Window> window,
                                  const DecodeOptions& options) override;

  void step(ops::Ops& ops, std::span<Sequence* const> sequences) override;

  std::vector<Alignment> align(ops::Ops& ops, std::span<const AlignRequest> requests) override {
    return whisper::align(ops, {weights_.decoder, config_, vocabulary_, *cache_}, requests);
  }

 private:
  LogitRules rules_for(const DecodeOptions& options, int num_positions) const;
  std::unique_ptr<TokenDecoder> decoder_for(const DecodeOptions& options) const;

  std::shared_ptr<const Loaded> loaded_;
  const ModelInfo& info_;
  const Config& config_;
  const text::Tokenizer& tokenizer_;
  const Vocabulary& vocabulary_;
  const Weights& weights_;
  ops::ComputeType type_;
  std::unique_ptr<Cache> cache_;
};

// A sequence that also knows how its tokens read.
class ReadableSequence : public WhisperSequence {
 public:
  template <typename... Args>
  explicit ReadableSequence(const text::Tokenizer& tokenizer, const Vocabulary& vocabulary,
                            Args&&... args)
      : WhisperSequence(vocabulary, std::forward<Args>(args)...),
        tokenizer_(tokenizer),
        vocabulary_(vocabulary) {}

  WindowText result() override {
    WindowText window = WhisperSequence::result();
    // TRAP: as in the reference, control tokens that slipped in (languages are not suppressed)
    // count as text.
    std::vector<int> readable;
    std::copy_if(window.tokens.begin(), window.tokens.end(), std::back_inserter(readable),
                 [&](int token) { return !vocabulary_.is_timestamp(token); });
    window.compression_ratio =
        text::compression_ratio(utf8::strip(tokenizer_.decode(readable, text::Specials::kShow)));
    return window;
  }

 private:
  const text::Tokenizer& tokenizer_;
  const Vocabulary& vocabulary_;
};

// Only the row [1, V] at the start-of-transcript token matters, and of it only the languages.
std::vector<LanguageScore> WhisperModel::detect_language(ops::Ops& ops,
                                                         std::shared_ptr<const Window> window) {
  if (!vocabulary_.is_multilingual) return {{"en", 1.0}};
  nn::PageList pages(cache_->tokens());
  ForwardBatch batch;
  batch.tokens = {vocabulary_.sot};
  batch.positions = {0};
  batch.slots = {pages.append().slot};
  batch.self_spans = {{pages.pages(), 1}};
  batch.cross_spans = {static_cast<const WhisperWindow&>(*window).span()};
  batch.logit_rows = {0};
  const Tensor logits = decode(ops, weights_.decoder, config_, batch, *cache_);
  const std::span<const float> of_languages(logits.data<float>() + vocabulary_.sot + 1,
                                            vocabulary_.languages.size());
  const float normaliser = ops::log_sum_exp(of_languages);
  std::vector<LanguageScore> scores;
  for (const ops::Scored& scored :
       ops::top_k(of_languages, static_cast<int>(of_languages.size()))) {
    scores.push_back({vocabulary_.languages[static_cast<std::size_t>(scored.index)],
                      std::exp(static_cast<double>(scored.value) - normaliser)});
  }
  return scores;
}

void WhisperModel::check(const DecodeOptions& options) const {
  if (options.language.empty()) {
    // to be detected
  } else if (vocabulary_.is_multilingual) {
    if (!vocabulary_.find_language_token(options.language)) {
      throw Error(ErrorCode::kInvalidValue, "{} does not know the language '{}'", info_.name,
                  options.language);
    }
  } else if (options.language != "en") {
    throw Error(ErrorCode::kUnsupported, "{} knows English only, not '{}'", info_.name,
                options.language);
  }
  if (options.translate && !info_.can_translate) {
    throw Error(ErrorCode::kUnsupported,
                "{} cannot translate: it was trained to transcribe only. Use whisper-base, -small, "
                "-medium or -large-v3",
                info_.name);
  }
  DecodeOptions with_language = options;
  if (options.language.empty()) with_language.language = vocabulary_.languages.front();
  make_prompt(with_language, vocabulary_, static_cast<int>(config_.max_target_positions));
  for (const int token : options.suppress_tokens) {
    if (token >= vocabulary_.size || token < -1) {
      throw Error(ErrorCode::kInvalidValue,
                  "token {} cannot be suppressed: {} has the tokens 0 to {} (and -1 for the "
                  "non-speech set)",
                  token, info_.name, vocabulary_.size - 1);
    }
  }
}

LogitRules WhisperModel::rules_for(const DecodeOptions& options, int num_positions) const {
  LogitRules rules;
  if (options.suppress_blank) rules.first_suppressed = loaded_->blank_tokens;
  rules.suppressed = suppressed_tokens(tokenizer_, vocabulary_, options.suppress_tokens);
  rules.timestamps = !options.without_timestamps;
  // TRAP: in the reference 0 means "no limit" like None.
  if (options.max_initial_timestamp_s.value_or(0) > 0) {
    rules.max_initial_timestamp =
        static_cast<int>(std::nearbyint(*options.max_initial_timestamp_s / kSecondsPerTimestamp));
  }
  rules.last_timestamp = num_positions;
  rules.end_timestamp = options.end_position;
  return rules;
}

std::unique_ptr<TokenDecoder> WhisperModel::decoder_for(const DecodeOptions& options) const {
  if (options.temperature > 0) {
    return std::make_unique<Sampling>(options.best_of, options.temperature, options.seed,
                                      vocabulary_.eot);
  }
  if (options.beam_size > 1) {
    return std::make_unique<BeamSearch>(options.beam_size, options.patience, vocabulary_.eot);
  }
  return std::make_unique<Sampling>(1, 0.0, options.seed, vocabulary_.eot);
}

std::unique_ptr<Sequence> WhisperModel::start(std::shared_ptr<const Window> window,
                                              const DecodeOptions& options) {
  check(options);
  const int max_positions = static_cast<int>(config_.max_target_positions);
  const int half = max_positions / 2;
  const int max_new_tokens =
      options.max_new_tokens > 0 ? std::min(options.max_new_tokens, half) : half;
  auto encoded = std::static_pointer_cast<const WhisperWindow>(std::move(window));
  LogitRules rules = rules_for(options, encoded->span().num_keys);
  return std::make_unique<ReadableSequence>(
      tokenizer_, vocabulary_, std::move(encoded), make_prompt(options, vocabulary_, max_positions),
      std::move(rules), decoder_for(options),
      Draft(options.temperature == 0 && options.beam_size == 1 ? options.draft_tokens
                                                               : std::vector<int>()),
      cache_->tokens(), max_new_tokens, max_positions, options.length_penalty, options.temperature);
}

void WhisperModel::step(ops::Ops& ops, std::span<Sequence* const> sequences) {
  ForwardBatch batch;
  std::vector<std::size_t> first_logit;  // of each sequence, and the end
  for (Sequence* sequence : sequences) {
    first_logit.push_back(batch.logit_rows.size());
    static_cast<WhisperSequence*>(sequence)->append_to(batch);
  }
  first_logit.push_back(batch.logit_rows.size());

  Tensor logits = decode(ops, weights_.decoder, config_, batch, *cache_);  // [L, V]
  const auto size = static_cast<std::size_t>(config_.vocab_size);
  std::vector<std::span<float>> rows;
  for (std::size_t i = 0; i < batch.logit_rows.size(); ++i) {
    rows.emplace_back(logits.data<float>() + i * size, size);
  }
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    static_cast<WhisperSequence*>(sequences[i])
        ->accept(std::span(rows).subspan(first_logit[i], first_logit[i + 1] - first_logit[i]));
  }
}

ModelInfo info_of(const std::filesystem::path& folder, const Config& config,
                  const Vocabulary& vocabulary) {
  ModelInfo info;
  info.family = "whisper";
  info.name = std::filesystem::weakly_canonical(folder).filename().string();
  info.languages = vocabulary.languages;
  info.can_translate = vocabulary.is_multilingual && !config.has_pruned_decoder();
  info.num_mel_bins = static_cast<int>(config.num_mel_bins);
  info.frames_per_position = kFramesPerPosition;
  info.window_frames = static_cast<int>(config.max_source_positions) * kFramesPerPosition;
  info.can_align = true;
  info.max_prompt_tokens = static_cast<int>(config.max_target_positions) / 2 - 1;
  return info;
}

}  // namespace

std::unique_ptr<Model> load(const std::filesystem::path& folder,
                            const weights::Checkpoint& checkpoint, ops::ComputeType type,
                            ops::Ops& ops) {
  Config config = load_config(folder, checkpoint);
  const Checkpoint tensors(checkpoint, config);
  text::Tokenizer tokenizer = find_tokenizer(folder, config);
  Vocabulary vocabulary = load_vocabulary(tokenizer, config);
  Weights weights = load_weights(tensors, config, ops, type);
  ModelInfo info = info_of(folder, config, vocabulary);
  std::vector<int> blank_tokens = tokenizer.encode(" ");
  blank_tokens.push_back(vocabulary.eot);
  return std::make_unique<WhisperModel>(std::make_shared<const Loaded>(
      Loaded{std::move(info), std::move(config), std::move(tokenizer), std::move(vocabulary),
             std::move(weights), type, std::move(blank_tokens)}));
}

}  // namespace steno::models::whisper
