// Whisper against the reference implementations on tiny seeded models: stage by stage, then whole
// decodings. Goldens: tests/golden/whisper (openai-whisper 20250625, transformers, CTranslate2),
// made by tools/reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "audio/decoder.h"
#include "base/error.h"
#include "features/log_mel.h"
#include "models/model.h"
#include "models/registry.h"
#include "ops/make_ops.h"
#include "ops/profile.h"
#include "support/golden.h"

namespace steno::models {
namespace {

using golden::relative_error;
using golden::values;

// Ten times the noise of f32 against f64 that the reference itself shows on these models.
constexpr double kRelative = 1e-5;

std::vector<float> golden_audio(const std::string& name) {
  return audio::decode_all(audio::Source::file(golden::folder() / "audio" / name));
}

class WhisperParity : public ::testing::TestWithParam<std::string> {
 protected:
  WhisperParity() : golden_(GetParam()), ops_(ops::make_cpu_ops(2)) {}

  std::unique_ptr<Model> load(const std::string& layout,
                              ops::ComputeType type = ops::ComputeType::kF32) {
    std::unique_ptr<Model> model = load_model(golden_.path / layout, type, *ops_);
    model->reserve(*ops_, {.max_windows = 2, .max_rows = 10});
    return model;
  }

  std::shared_ptr<const Window> encode(Model& model, const std::string& audio = "a.wav") {
    const Tensor mel = features::log_mel_padded(golden_audio(audio), model.info().num_mel_bins);
    return model.encode(*ops_, mel.reshaped({1, mel.dim(0), mel.dim(1)})).front();
  }

  WindowText run(Model& model, const std::shared_ptr<const Window>& window,
                 const DecodeOptions& options) {
    const std::unique_ptr<Sequence> sequence = model.start(window, options);
    Sequence* batch[] = {sequence.get()};
    while (!sequence->is_done()) model.step(*ops_, batch);
    return sequence->result();
  }

  // Records the first 64 rows of every op from now on.
  void tap() {
    ops::ProfileOptions taps;
    taps.on_result = [this](const std::string& op, const Tensor& result) {
      const std::span<const float> all = values(result);
      const auto rows = std::min(all.size(), static_cast<std::size_t>(64 * result.dim(-1)));
      results_.emplace_back(
          op, std::vector<float>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(rows)));
    };
    ops_ = ops::profile(std::move(ops_), taps, &times_);
  }

  // The result of the (skip + 1)-th call of `op`.
  std::vector<float> find(const std::string& op, std::size_t skip) const {
    for (const auto& [name, rows] : results_) {
      if (name == op && skip-- == 0) return rows;
    }
    throw std::out_of_range("no result of " + op);
  }

  bool can_translate() const {
    const nlohmann::json& spec = golden_.meta["spec"];
    return spec["multilingual"].get<bool>() && spec["encoder_layers"] == spec["decoder_layers"];
  }

  golden::Model golden_;
  std::unique_ptr<ops::Ops> ops_;
  std::map<std::string, ops::OpTime> times_;
  std::vector<std::pair<std::string, std::vector<float>>> results_;
};

// whisper.DecodingOptions by their names.
DecodeOptions options_from(const nlohmann::json& json, const Model& model) {
  const auto tokens = [&](const char* key) {
    std::string text = json.value(key, "");
    text.erase(0, text.find_first_not_of(' '));
    return text.empty() ? std::vector<int>() : model.encode_text(" " + text);
  };
  DecodeOptions o;
  const nlohmann::json language = json.value("language", nlohmann::json("en"));
  o.language = language.is_null() ? "" : language.get<std::string>();
  o.translate = json.value("task", "transcribe") == "translate";
  o.beam_size = json.value("beam_size", 1);
  o.patience = json.value("patience", 1.0);
  if (json.contains("length_penalty")) o.length_penalty = json["length_penalty"].get<double>();
  o.prompt_tokens = tokens("prompt");
  o.prefix_tokens = tokens("prefix");
  o.without_timestamps = json.value("without_timestamps", false);
  o.suppress_blank = json.value("suppress_blank", true);
  o.max_new_tokens = json.value("sample_len", 0);
  if (json.contains("suppress_tokens")) {
    const std::string list = json["suppress_tokens"].get<std::string>();
    o.suppress_tokens.clear();
    for (std::size_t at = 0; at < list.size();) {
      const std::size_t comma = std::min(list.find(',', at), list.size());
      o.suppress_tokens.push_back(std::stoi(list.substr(at, comma - at)));
      at = comma + 1;
    }
  }
  if (json.contains("max_initial_timestamp")) {
    const nlohmann::json& limit = json["max_initial_timestamp"];
    o.max_initial_timestamp_s = limit.is_null() ? std::nullopt : std::optional(limit.get<double>());
  }
  return o;
}

TEST_P(WhisperParity, EachStageOfTheEncoder) {
  tap();
  const std::unique_ptr<Model> model = load("hf");
  encode(*model);
  EXPECT_LT(relative_error(find("conv1d", 0), values(golden_.array("conv1"))), kRelative);
  EXPECT_LT(relative_error(find("conv1d", 1), values(golden_.array("conv2"))), kRelative);
  EXPECT_LT(relative_error(find("add", 0), values(golden_.array("encoder_state_0"))), kRelative);
  const auto layers = golden_.meta["spec"]["encoder_layers"].get<std::size_t>();
  for (std::size_t i = 1; i < layers; ++i) {
    EXPECT_LT(relative_error(find("feed_forward", i - 1),
                             values(golden_.array("encoder_state_" + std::to_string(i)))),
              kRelative)
        << "layer " << i;
  }
  EXPECT_LT(
      relative_error(find("layer_norm", layers), values(golden_.array("encoder_out").slice(0, 64))),
      kRelative);
}

TEST_P(WhisperParity, AWindowThatIsNotPaddedHasThePositionsItNeeds) {
  if (golden_.arrays->find("encoder_out_short") == nullptr) GTEST_SKIP() << "not in these goldens";
  tap();
  const std::unique_ptr<Model> model = load("hf");
  constexpr std::int64_t kFrames = 400;
  const Tensor mel =
      features::log_mel_padded(golden_audio("a.wav"), model->info().num_mel_bins).slice(0, kFrames);
  model->encode(*ops_, mel.reshaped({1, kFrames, mel.dim(1)}));
  const auto layers = golden_.meta["spec"]["encoder_layers"].get<std::size_t>();
  EXPECT_LT(relative_error(find("layer_norm", layers), values(golden_.array("encoder_out_short"))),
            kRelative);
}

TEST_P(WhisperParity, EveryDecodingOfTheReference) {
  const std::unique_ptr<Model> model = load("hf");
  const std::shared_ptr<const Window> window = encode(*model);
  ASSERT_GE(golden_.meta["decode"].size(), 10U);
  for (const auto& [name, expected] : golden_.meta["decode"].items()) {
    SCOPED_TRACE(name);
    DecodeOptions options = options_from(expected["options"], *model);
    if (options.translate && !can_translate()) continue;  // its decoder was cut: we refuse
    if (options.language.empty()) {
      options.language = model->detect_language(*ops_, window).front().code;
      EXPECT_EQ(options.language, expected["language"].get<std::string>());
    }
    const WindowText text = run(*model, window, options);
    EXPECT_EQ(text.tokens, expected["tokens"].get<std::vector<int>>());
    EXPECT_NEAR(text.avg_logprob, expected["avg_logprob"].get<double>(), 1e-4);
    EXPECT_NEAR(text.no_speech_prob, expected["no_speech_prob"].get<double>(), 1e-5);
    EXPECT_NEAR(text.compression_ratio, expected["compression_ratio"].get<double>(), 1e-9);
  }
}

// A draft changes how many passes a text takes, and nothing else.
TEST_P(WhisperParity, ADraftDoesNotChangeTheText) {
  const std::unique_ptr<Model> model = load("hf");
  const std::shared_ptr<const Window> window = encode(*model);
  for (const char* name : {"greedy_time", "greedy_text", "greedy_prompt", "greedy_full_length"}) {
    SCOPED_TRACE(name);
    const nlohmann::json& expected = golden_.meta["decode"][name];
    const auto tokens = expected["tokens"].get<std::vector<int>>();
    std::vector<int> with_errors = tokens;
    for (std::size_t i = 3; i < with_errors.size(); i += 7) with_errors[i] = 5;
    if (with_errors.size() > 10) with_errors.erase(with_errors.begin() + 9);
    for (const std::vector<int>& draft : {tokens, with_errors, std::vector<int>(40, 7)}) {
      DecodeOptions options = options_from(expected["options"], *model);
      options.draft_tokens = draft;
      const std::unique_ptr<Sequence> sequence = model->start(window, options);
      Sequence* batch[] = {sequence.get()};
      std::size_t num_passes = 0;
      for (; !sequence->is_done(); ++num_passes) model->step(*ops_, batch);
      const WindowText text = sequence->result();
      EXPECT_EQ(text.tokens, tokens);
      EXPECT_NEAR(text.avg_logprob, expected["avg_logprob"].get<double>(), 1e-4);
      EXPECT_NEAR(text.no_speech_prob, expected["no_speech_prob"].get<double>(), 1e-5);
      if (draft == tokens) {
        EXPECT_LE(num_passes, tokens.size() / 16 + 2);
      }
    }
  }
  EXPECT_TRUE(model->is_consistent());
}

// Decoding many sequences at once gives what each gives alone, whatever the neighbours do.
TEST_P(WhisperParity, ABatchIsItsMembers) {
  const std::unique_ptr<Model> model = load("hf");
  model->reserve(*ops_, {.max_windows = 2, .max_rows = 40});
  const std::shared_ptr<const Window> a = encode(*model, "a.wav");
  const std::shared_ptr<const Window> d = encode(*model, "d.wav");
  std::vector<std::unique_ptr<Sequence>> sequences;
  std::vector<std::vector<int>> alone;
  for (const char* name : {"greedy_time", "beam5_time", "greedy_text", "beam5_prompt"}) {
    const DecodeOptions options = options_from(golden_.meta["decode"][name]["options"], *model);
    for (const auto& window : {a, d}) {
      alone.push_back(run(*model, window, options).tokens);
      sequences.push_back(model->start(window, options));
    }
  }
  while (true) {
    std::vector<Sequence*> running;
    for (const auto& sequence : sequences) {
      if (!sequence->is_done()) running.push_back(sequence.get());
    }
    if (running.empty()) break;
    model->step(*ops_, running);
  }
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    EXPECT_EQ(sequences[i]->result().tokens, alone[i]) << "sequence " << i;
  }
}

TEST_P(WhisperParity, EveryLayoutAndStoredTypeGivesTheSameText) {
  const auto& expected = golden_.meta["decode"]["greedy_text"];
  int num_layouts = 0;
  for (const auto& entry : std::filesystem::directory_iterator(golden_.path)) {
    const std::string layout = entry.path().filename();
    const bool is_exact = layout == "hf" || layout == "hf-sharded" || layout == "openai" ||
                          layout == "ct2-float32" || layout == "ct2-float16";
    if (!is_exact || !golden::has_tokenizer(entry.path())) continue;
    SCOPED_TRACE(layout);
    ++num_layouts;
    const std::unique_ptr<Model> model = load(layout);
    const WindowText text = run(*model, encode(*model), options_from(expected["options"], *model));
    EXPECT_EQ(text.tokens, expected["tokens"].get<std::vector<int>>());
    EXPECT_NEAR(text.avg_logprob, expected["avg_logprob"].get<double>(), 1e-4);
  }
  EXPECT_GE(num_layouts, 1);
}

// Rounded weights change the text; CTranslate2 on the same files, widened to f32 as we widen them,
// is the reference.
TEST_P(WhisperParity, QuantisedFoldersGiveCTranslate2sText) {
  for (const auto& [kind, expected] : golden_.meta["ctranslate2"].items()) {
    SCOPED_TRACE(kind);
    const std::string folder = "ct2-" + kind;
    if (expected["compute_type"] != "float32" ||
        !std::filesystem::is_directory(golden_.path / folder))
      continue;
    const std::unique_ptr<Model> model = load(folder);
    DecodeOptions options;
    options.language = "en";
    options.beam_size = 1;
    options.without_timestamps = true;
    options.max_new_tokens = expected["max_length"].get<int>() / 2;  // CTranslate2 halves it
    const WindowText text = run(*model, encode(*model), options);
    EXPECT_EQ(text.tokens, expected["greedy_text"].get<std::vector<int>>());
    EXPECT_NEAR(text.no_speech_prob, expected["no_speech_prob"].get<double>(), 1e-4);
  }
}

// The same quantisation as CTranslate2's: what is left between us is much less than what int8
// costs.
TEST_P(WhisperParity, Int8EncoderIsAsNearAsCTranslate2s) {
  if (!std::filesystem::is_directory(golden_.path / "ct2-int8")) GTEST_SKIP() << "no int8 folder";
  tap();
  const std::unique_ptr<Model> model = load("ct2-int8", ops::ComputeType::kInt8);
  encode(*model);
  const auto layers = golden_.meta["spec"]["encoder_layers"].get<std::size_t>();
  const std::vector<float> ours = find("layer_norm", layers);
  const Tensor f32 = golden_.array("encoder_out").slice(0, 64);
  const Tensor ct2 = golden_.array("ct2_int8_encoder_out").slice(0, 64);
  // CTranslate2 has the same linear layers, but attention in f32.
  const double to_ct2 = relative_error(ours, values(ct2));
  const double to_f32 = relative_error(ours, values(f32));
  const double ct2_to_f32 =
      relative_error(std::vector(values(ct2).begin(), values(ct2).end()), values(f32));
  RecordProperty("relative_error_to_ctranslate2", std::to_string(to_ct2));
  EXPECT_LT(to_ct2, 2 * ct2_to_f32);
  EXPECT_LT(to_f32, 3 * ct2_to_f32) << "CTranslate2's own is " << ct2_to_f32;
}

TEST_P(WhisperParity, BFloat16StaysCloseToF32) {
  const std::unique_ptr<Model> model = load("hf", ops::ComputeType::kBF16);
  const auto& expected = golden_.meta["decode"]["greedy_text"];
  const WindowText text = run(*model, encode(*model), options_from(expected["options"], *model));
  EXPECT_NEAR(text.no_speech_prob, expected["no_speech_prob"].get<double>(), 2e-2);
}

AlignRequest alignment_request(const nlohmann::json& golden, std::shared_ptr<const Window> window) {
  AlignRequest request;
  request.window = std::move(window);
  request.tokens = golden["text_tokens"].get<std::vector<int>>();
  request.language = "en";
  request.num_frames = golden["num_frames"].get<int>();
  return request;
}

// whisper.timing.find_alignment: a word begins with its first token and ends where the next begins.
void expect_alignment(const Alignment& ours, const nlohmann::json& words) {
  std::size_t at = 0;
  for (const nlohmann::json& word : words) {
    SCOPED_TRACE(word["word"].get<std::string>());
    const std::size_t num_tokens = word["tokens"].size();
    ASSERT_LE(at + num_tokens, ours.tokens.size());
    double sum = 0;
    for (std::size_t i = at; i < at + num_tokens; ++i) sum += ours.tokens[i].probability;
    EXPECT_EQ(ours.tokens[at].position, std::lround(word["start"].get<double>() * 50));
    at += num_tokens;
    const int end = at == ours.tokens.size() ? ours.end_position : ours.tokens[at].position;
    EXPECT_EQ(end, std::lround(word["end"].get<double>() * 50));
    const double expected = word["probability"].get<double>();
    EXPECT_NEAR(sum / static_cast<double>(num_tokens), expected, 1e-4 * expected + 1e-9);
  }
  EXPECT_EQ(at, ours.tokens.size());
}

TEST_P(WhisperParity, EveryAlignmentOfTheReference) {
  const std::unique_ptr<Model> model = load("hf");
  ASSERT_TRUE(model->info().can_align);
  const AlignRequest request = alignment_request(golden_.meta["alignment"], encode(*model));
  const std::vector<Alignment> alignments = model->align(*ops_, {&request, 1});
  ASSERT_EQ(alignments.size(), 1U);
  expect_alignment(alignments.front(), golden_.meta["alignment"]["words"]);
}

TEST_P(WhisperParity, TimestampsAndControlTokensAreNotAligned) {
  const std::unique_ptr<Model> model = load("hf");
  AlignRequest request = alignment_request(golden_.meta["alignment"], encode(*model));
  const int timestamp = golden_.meta["vocabulary"]["timestamp_begin"].get<int>();
  const int sot = golden_.meta["vocabulary"]["sot"].get<int>();
  request.tokens.insert(request.tokens.begin(), timestamp);
  request.tokens.insert(request.tokens.begin() + 3, {timestamp + 20, timestamp + 20, sot + 1});
  request.tokens.push_back(timestamp + 140);
  const Alignment alignment = model->align(*ops_, {&request, 1}).front();
  ASSERT_EQ(alignment.tokens.size(), request.tokens.size() - 5);
  EXPECT_EQ(alignment.tokens[0].index, 1U);
  EXPECT_EQ(alignment.tokens[2].index, 6U);
  expect_alignment(alignment, golden_.meta["alignment"]["words"]);
}

// Of any lengths, in any order, with none, one and the most tokens that a window has, and whether
// sequences are running or not.
TEST_P(WhisperParity, AligningManyWindowsIsAligningEach) {
  const std::unique_ptr<Model> model = load("hf");
  const std::shared_ptr<const Window> a = encode(*model, "a.wav");
  const std::shared_ptr<const Window> d = encode(*model, "d.wav");
  const std::vector<int> text = golden_.meta["alignment"]["text_tokens"].get<std::vector<int>>();
  std::vector<AlignRequest> requests;
  for (const int num_tokens : {16, 224, 0, 1, 100, 100, 224, 7}) {
    AlignRequest request = alignment_request(golden_.meta["alignment"], requests.empty() ? a : d);
    request.tokens.clear();
    for (int i = 0; i < num_tokens; ++i) request.tokens.push_back(text[i % text.size()]);
    if (!requests.empty()) request.num_frames = 3000;
    requests.push_back(std::move(request));
  }
  const std::unique_ptr<Sequence> running =
      model->start(a, options_from(golden_.meta["decode"]["beam5_time"]["options"], *model));
  Sequence* batch[] = {running.get()};
  model->step(*ops_, batch);
  const std::vector<Alignment> together = model->align(*ops_, requests);
  while (!running->is_done()) model->step(*ops_, batch);
  EXPECT_EQ(running->result().tokens,
            golden_.meta["decode"]["beam5_time"]["tokens"].get<std::vector<int>>());

  ASSERT_EQ(together.size(), requests.size());
  expect_alignment(together[0], golden_.meta["alignment"]["words"]);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SCOPED_TRACE(i);
    const Alignment alone = model->align(*ops_, {&requests[i], 1}).front();
    ASSERT_EQ(together[i].tokens.size(), requests[i].tokens.size());
    ASSERT_EQ(alone.tokens.size(), requests[i].tokens.size());
    int position = 0;
    for (std::size_t t = 0; t < alone.tokens.size(); ++t) {
      EXPECT_EQ(together[i].tokens[t].position, alone.tokens[t].position);
      EXPECT_NEAR(together[i].tokens[t].probability, alone.tokens[t].probability, 1e-6);
      EXPECT_GE(alone.tokens[t].position, position);
      position = alone.tokens[t].position;
    }
    EXPECT_EQ(together[i].end_position, alone.end_position);
    EXPECT_LE(alone.end_position, requests[i].num_frames / 2);
    EXPECT_GE(alone.end_position, position);
  }
}

TEST_P(WhisperParity, AWindowOfNextToNoAudioIsAligned) {
  const std::unique_ptr<Model> model = load("hf");
  AlignRequest request = alignment_request(golden_.meta["alignment"], encode(*model));
  for (const int num_frames : {1, 2, 5, 8, 100'000}) {
    request.num_frames = num_frames;
    const Alignment alignment = model->align(*ops_, {&request, 1}).front();
    EXPECT_EQ(alignment.tokens.size(), request.tokens.size());
    EXPECT_LT(alignment.end_position, std::clamp(num_frames / 2, 1, 1500));
  }
}

TEST_P(WhisperParity, AlignmentsOfRoundedModelsStayClose) {
  const std::unique_ptr<Model> exact = load("hf");
  const AlignRequest of_exact = alignment_request(golden_.meta["alignment"], encode(*exact));
  const std::size_t num_tokens = exact->align(*ops_, {&of_exact, 1}).front().tokens.size();
  for (const ops::ComputeType type : {ops::ComputeType::kBF16, ops::ComputeType::kInt8}) {
    const std::unique_ptr<Model> model = load("hf", type);
    const AlignRequest request = alignment_request(golden_.meta["alignment"], encode(*model));
    EXPECT_EQ(model->align(*ops_, {&request, 1}).front().tokens.size(), num_tokens);
  }
}

TEST_P(WhisperParity, RefusesWhatTheModelCannotDo) {
  const std::unique_ptr<Model> model = load("hf");
  DecodeOptions options;
  options.language = "xx";
  EXPECT_THROW(model->check(options), Error);
  options.language = "en";
  options.translate = true;
  if (can_translate()) {
    EXPECT_NO_THROW(model->check(options));
  } else {
    EXPECT_THROW(model->check(options), Error);
  }
  options.translate = false;
  options.suppress_tokens = {1 << 20};
  EXPECT_THROW(model->check(options), Error);
}

INSTANTIATE_TEST_SUITE_P(Tiny, WhisperParity, ::testing::Values("tiny-80", "tiny-128", "tiny-en"),
                         [](const auto& param) {
                           std::string name = param.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace steno::models
