// A model that says what the test wrote for it, in the order in which sequences begin.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"

namespace steno::transcribe {

inline constexpr int kTime = 1000;  // token of 0.00 s; tokens below are text

class ScriptedSequence : public models::Sequence {
 public:
  explicit ScriptedSequence(models::WindowText text) : text_(std::move(text)) {}
  bool is_done() const override { return true; }
  models::WindowText result() override { return text_; }

 private:
  models::WindowText text_;
};

// What is said, and what was asked: shared by the lanes of an engine.
struct Script {
  std::deque<models::WindowText> texts;
  std::optional<models::WindowText> with_prompt;             // instead, where there is a prompt
  std::deque<std::vector<models::LanguageScore>> languages;  // then English
  std::vector<models::DecodeOptions> started;
  int num_encoded = 0;
  std::vector<std::int64_t> num_frames;  // of each window encoded
  // The positions of each alignment's tokens, the last one being its end. Without any the model
  // cannot align.
  std::deque<std::vector<int>> positions;
  std::vector<models::AlignRequest> aligned;  // their windows are gone
};

class ScriptedModel : public models::Model {
 public:
  explicit ScriptedModel(Script& script) : script_(script) {}
  std::unique_ptr<models::Model> share() const override {
    return std::make_unique<ScriptedModel>(script_);
  }

  const models::ModelInfo& info() const override { return info_; }
  ops::ComputeType compute_type() const override { return ops::ComputeType::kF32; }
  void check(const models::DecodeOptions&) const override {}
  std::vector<int> encode_text(std::string_view text) const override {
    return std::vector<int>(text.size(), 7);  // one token a byte
  }
  std::string decode_text(std::span<const int> tokens) const override {
    std::string text;
    for (const int token : tokens) {
      if (token < kTime) text += " w" + std::to_string(token);
    }
    return text;
  }
  std::optional<int> find_timestamp(int token) const override {
    if (token < kTime) return std::nullopt;
    return token - kTime;
  }
  void reserve(ops::Ops&, const models::CacheConfig&) override {}
  bool is_consistent() const override { return true; }
  std::vector<std::shared_ptr<const models::Window>> encode(ops::Ops&, const Tensor& mel,
                                                            const std::function<void()>&) override {
    ++script_.num_encoded;
    script_.num_frames.push_back(mel.dim(1));
    return {std::make_shared<models::Window>()};
  }
  std::vector<models::LanguageScore> detect_language(
      ops::Ops&, std::shared_ptr<const models::Window>) override {
    if (script_.languages.empty()) return {{"en", 1.0}};
    std::vector<models::LanguageScore> scores = script_.languages.front();
    script_.languages.pop_front();
    return scores;
  }
  std::unique_ptr<models::Sequence> start(std::shared_ptr<const models::Window>,
                                          const models::DecodeOptions& options) override {
    script_.started.push_back(options);
    models::WindowText text;
    if (script_.with_prompt && !options.prompt_tokens.empty()) {
      text = *script_.with_prompt;
    } else if (!script_.texts.empty()) {
      text = script_.texts.front();
      script_.texts.pop_front();
    }
    text.temperature = options.temperature;
    return std::make_unique<ScriptedSequence>(text);
  }
  void step(ops::Ops&, std::span<models::Sequence* const>) override {}
  std::vector<models::Alignment> align(ops::Ops& ops,
                                       std::span<const models::AlignRequest> requests) override {
    if (script_.positions.empty()) return Model::align(ops, requests);
    std::vector<models::Alignment> alignments;
    for (const models::AlignRequest& request : requests) {
      const std::vector<int>& positions = script_.positions.front();
      models::Alignment& alignment = alignments.emplace_back();
      for (std::size_t i = 0; i < request.tokens.size(); ++i) {
        if (request.tokens[i] >= kTime) continue;
        alignment.tokens.push_back({i, 0.9, positions[alignment.tokens.size()]});
      }
      alignment.end_position = positions.back();
      script_.positions.pop_front();
      script_.aligned.push_back(request);
      script_.aligned.back().window.reset();
    }
    return alignments;
  }

 private:
  Script& script_;
  models::ModelInfo info_{.family = "scripted",
                          .name = "scripted",
                          .languages = {"en"},
                          .num_mel_bins = 80,
                          .window_frames = 3000,
                          .frames_per_position = 2,
                          .max_prompt_tokens = 10};
};

inline models::WindowText good(std::vector<int> tokens) {
  models::WindowText text;
  text.tokens = std::move(tokens);
  text.avg_logprob = -0.05;
  text.no_speech_prob = 0.01;
  text.compression_ratio = 1.2;
  return text;
}

}  // namespace steno::transcribe
