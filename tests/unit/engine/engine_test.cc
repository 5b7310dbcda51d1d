// The engine's threads on a model without arithmetic: who is told what, when, and what is freed.
#include "engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "base/error.h"
#include "ops/make_ops.h"

namespace steno::engine {
namespace {

constexpr int kFrames = 4;
constexpr int kMels = 2;
constexpr float kEndless = 500;  // such a window's encoding pauses until it is told to end

// What all shares of the model have in common.
struct World {
  std::atomic<int> num_windows{0};  // alive
  std::atomic<int> num_sequences{0};
  std::atomic<int> max_batch{0};
  std::atomic<bool> fails_steps{false};
  std::atomic<bool> is_encoding{false};  // a window of kEndless
  std::atomic<bool> ends_encoding{false};
  std::mutex gate;  // held by a test to stop the lanes
};

class CountedWindow : public models::Window {
 public:
  CountedWindow(World& world, float first) : value(first), world_(world) { ++world_.num_windows; }
  ~CountedWindow() override { --world_.num_windows; }
  const float value;  // the first of its mel: what its text will say

 private:
  World& world_;
};

// Says its window's value as often as options.max_new_tokens.
class CountedSequence : public models::Sequence {
 public:
  CountedSequence(World& world, std::shared_ptr<const models::Window> window, int num_tokens)
      : world_(world), window_(std::move(window)), num_tokens_(num_tokens) {
    ++world_.num_sequences;
  }
  ~CountedSequence() override { --world_.num_sequences; }
  bool is_done() const override { return static_cast<int>(text_.tokens.size()) == num_tokens_; }
  models::WindowText result() override { return text_; }
  void say() {
    const float value = static_cast<const CountedWindow&>(*window_).value;
    text_.tokens.push_back(static_cast<int>(value));
  }

 private:
  World& world_;
  std::shared_ptr<const models::Window> window_;
  int num_tokens_;
  models::WindowText text_;
};

class CountingModel : public models::Model {
 public:
  explicit CountingModel(World& world) : world_(world) {}
  std::unique_ptr<models::Model> share() const override {
    return std::make_unique<CountingModel>(world_);
  }
  const models::ModelInfo& info() const override { return info_; }
  ops::ComputeType compute_type() const override { return ops::ComputeType::kF32; }
  void check(const models::DecodeOptions& options) const override {
    if (options.language == "xx") throw Error(ErrorCode::kInvalidValue, "no such language");
  }
  std::vector<int> encode_text(std::string_view) const override { return {}; }
  std::string decode_text(std::span<const int>) const override { return {}; }
  std::optional<int> find_timestamp(int) const override { return std::nullopt; }
  void reserve(ops::Ops&, const models::CacheConfig&) override {}
  bool is_consistent() const override { return true; }
  std::vector<std::shared_ptr<const models::Window>> encode(
      ops::Ops&, const Tensor& mel, const std::function<void()>& on_pause) override {
    const float value = mel.data<float>()[0];
    if (value == kEndless) {
      world_.is_encoding = true;
      while (!world_.ends_encoding) {
        on_pause();
        std::this_thread::yield();
      }
    }
    const std::lock_guard lock(world_.gate);
    if (value < 0) throw Error(ErrorCode::kUnavailable, "this window cannot be encoded");
    return {std::make_shared<CountedWindow>(world_, value)};
  }
  std::vector<models::LanguageScore> detect_language(
      ops::Ops&, std::shared_ptr<const models::Window> window) override {
    const float value = static_cast<const CountedWindow&>(*window).value;
    return {{value > 100 ? "es" : "en", 0.9}};
  }
  std::unique_ptr<models::Sequence> start(std::shared_ptr<const models::Window> window,
                                          const models::DecodeOptions& options) override {
    return std::make_unique<CountedSequence>(world_, std::move(window), options.max_new_tokens);
  }
  void step(ops::Ops&, std::span<models::Sequence* const> sequences) override {
    const std::lock_guard lock(world_.gate);
    if (world_.fails_steps) throw std::runtime_error("the device fell off");
    const int size = static_cast<int>(sequences.size());
    int seen = world_.max_batch;
    while (seen < size && !world_.max_batch.compare_exchange_weak(seen, size)) {
    }
    for (models::Sequence* sequence : sequences) static_cast<CountedSequence*>(sequence)->say();
  }
  // Each token at the position that is its window's value; a text of nothing fails.
  std::vector<models::Alignment> align(ops::Ops&,
                                       std::span<const models::AlignRequest> requests) override {
    std::vector<models::Alignment> alignments;
    for (const models::AlignRequest& request : requests) {
      if (request.tokens.empty()) throw Error(ErrorCode::kUnsupported, "nothing to align");
      const float value = static_cast<const CountedWindow&>(*request.window).value;
      models::Alignment& alignment = alignments.emplace_back();
      for (std::size_t i = 0; i < request.tokens.size(); ++i) {
        alignment.tokens.push_back({i, 1.0, static_cast<int>(value)});
      }
    }
    return alignments;
  }

 private:
  World& world_;
  models::ModelInfo info_{.family = "counting",
                          .name = "counting",
                          .languages = {"en", "es"},
                          .num_mel_bins = kMels,
                          .window_frames = kFrames,
                          .frames_per_position = 2};
};

Tensor mel_of(float value) {
  Tensor mel = Tensor::zeros({kFrames, kMels});
  mel.data<float>()[0] = value;
  return mel;
}

models::DecodeOptions tokens(int num_tokens) {
  models::DecodeOptions options;
  options.language = "en";
  options.beam_size = 1;
  options.max_new_tokens = num_tokens;
  return options;
}

class EngineTest : public ::testing::Test {
 protected:
  static std::vector<std::unique_ptr<ops::Ops>> two_lanes() {
    std::vector<std::unique_ptr<ops::Ops>> ops;
    for (int i = 0; i < 2; ++i) ops.push_back(ops::make_cpu_ops(1));
    return ops;
  }

  World world_;
  CountingModel model_{world_};
  std::vector<std::unique_ptr<ops::Ops>> lane_ops_ = two_lanes();
  Engine engine_{model_, lane_ops_, nullptr, {.max_windows = 3, .max_rows = 4}};
};

TEST_F(EngineTest, AWindowBecomesText) {
  Job job = engine_.open_job(Priority::kBatch);
  const WindowRef window = job.encode_now(mel_of(7));
  EXPECT_EQ(job.detect_language_now(window).front().code, "en");
  EXPECT_EQ(job.decode_now(window, tokens(3)).tokens, (std::vector<int>{7, 7, 7}));
  EXPECT_EQ(job.decode_now(window, tokens(1)).tokens, (std::vector<int>{7})) << "a retry";
}

TEST_F(EngineTest, AllIsFreedAtTheEnd) {
  {
    Job job = engine_.open_job(Priority::kBatch);
    const WindowRef window = job.encode_now(mel_of(7));
    job.decode_now(window, tokens(3));
    EXPECT_EQ(world_.num_windows, 1);
  }
  EXPECT_TRUE(engine_.is_consistent());
  EXPECT_EQ(world_.num_windows, 0);
  EXPECT_EQ(world_.num_sequences, 0);
}

// Many more windows than there is room for, from two jobs: each gets its own results.
TEST_F(EngineTest, EachJobGetsItsOwn) {
  const auto run = [&](float base) {
    Job job = engine_.open_job(Priority::kBatch);
    std::map<WorkId, float> encoding;
    std::map<WorkId, std::pair<float, WindowRef>> decoding;
    for (int i = 0; i < 40; ++i) {
      const float value = base + static_cast<float>(i);
      encoding[job.encode(mel_of(value))] = value;
    }
    int num_texts = 0;
    while (job.num_pending() > 0) {
      Event event = job.wait();
      if (const auto found = encoding.find(event.id); found != encoding.end()) {
        WindowRef window = event.take<WindowRef>();
        const WorkId id = job.decode(window, tokens(1 + static_cast<int>(found->second) % 9));
        decoding[id] = {found->second, window};
        continue;
      }
      const auto node = decoding.extract(event.id);
      const float value = node.mapped().first;
      const std::vector<int> expected(1 + static_cast<std::size_t>(value) % 9,
                                      static_cast<int>(value));
      EXPECT_EQ(event.take<models::WindowText>().tokens, expected);
      ++num_texts;
    }
    EXPECT_EQ(num_texts, 40);
  };
  std::thread other([&] { run(1000); });
  run(0);
  other.join();
  EXPECT_TRUE(engine_.is_consistent());
  EXPECT_EQ(world_.num_windows, 0);
  EXPECT_GT(world_.max_batch, 1) << "sequences share steps";
  EXPECT_LE(world_.max_batch, 4);
}

TEST_F(EngineTest, AWindowThatFailsFailsAlone) {
  Job job = engine_.open_job(Priority::kBatch);
  const WorkId bad = job.encode(mel_of(-1));
  const WorkId good = job.encode(mel_of(5));
  for (int i = 0; i < 2; ++i) {
    Event event = job.wait();
    if (event.id == bad) {
      EXPECT_THROW(event.take<WindowRef>(), Error);
    } else {
      EXPECT_EQ(event.id, good);
      EXPECT_NE(event.take<WindowRef>(), nullptr);
    }
  }
  EXPECT_EQ(engine_.stats().num_failures, 1);
}

TEST_F(EngineTest, AFailingStepFailsItsBatchAndTheEngineGoesOn) {
  Job job = engine_.open_job(Priority::kBatch);
  const WindowRef window = job.encode_now(mel_of(5));
  world_.fails_steps = true;
  EXPECT_THROW(job.decode_now(window, tokens(2)), std::runtime_error);
  world_.fails_steps = false;
  EXPECT_EQ(job.decode_now(window, tokens(2)).tokens, (std::vector<int>{5, 5}));
  EXPECT_EQ(world_.num_sequences, 0);
}

TEST_F(EngineTest, WhatSomebodyWaitsForInterruptsABatchWindow) {
  Engine engine(model_, std::span(lane_ops_).first(1), nullptr, {});
  Job file = engine.open_job(Priority::kBatch);
  file.encode(mel_of(kEndless));
  while (!world_.is_encoding) std::this_thread::yield();
  {
    Job clip = engine.open_job(Priority::kInteractive);
    const WindowRef window = clip.encode_now(mel_of(7));
    EXPECT_EQ(clip.decode_now(window, tokens(3)).tokens, (std::vector<int>{7, 7, 7}));
  }
  EXPECT_EQ(file.num_pending(), 1);
  world_.ends_encoding = true;
  EXPECT_NE(file.wait().take<WindowRef>(), nullptr);
}

TEST_F(EngineTest, TextIsAlignedWithItsOwnWindow) {
  Job job = engine_.open_job(Priority::kBatch);
  const WindowRef five = job.encode_now(mel_of(5));
  const WindowRef nine = job.encode_now(mel_of(9));
  models::AlignRequest request;
  request.tokens = {1, 2, 3};
  std::map<WorkId, int> expected;
  expected[job.align(five, request)] = 5;
  expected[job.align(nine, request)] = 9;
  const WorkId bad = job.align(nine, {});
  while (job.num_pending() > 0) {
    Event event = job.wait();
    if (event.id == bad) {
      EXPECT_THROW(event.take<models::Alignment>(), Error);
      continue;
    }
    const auto alignment = event.take<models::Alignment>();
    ASSERT_EQ(alignment.tokens.size(), 3U);
    EXPECT_EQ(alignment.tokens[2].position, expected.at(event.id));
  }
  EXPECT_EQ(job.align_now(five, request).tokens.size(), 3U);
}

TEST_F(EngineTest, WhatCannotBeHonouredIsRefusedAtOnce) {
  Job job = engine_.open_job(Priority::kBatch);
  const WindowRef window = job.encode_now(mel_of(5));
  models::DecodeOptions options = tokens(1);
  options.language = "xx";
  EXPECT_THROW(job.decode(window, options), Error);
  options = tokens(1);
  options.beam_size = 5;  // four rows
  EXPECT_THROW(job.decode(window, options), Error);
  EXPECT_EQ(job.num_pending(), 0);
}

TEST_F(EngineTest, CancellingWakesTheWaiterAndFreesAll) {
  Job job = engine_.open_job(Priority::kBatch);
  const WindowRef window = job.encode_now(mel_of(5));
  job.decode(window, tokens(1'000'000'000));
  std::thread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    job.cancel();
  });
  EXPECT_THROW(job.wait(), Error);
  canceller.join();
  EXPECT_TRUE(engine_.is_consistent());
  EXPECT_EQ(world_.num_sequences, 0);
}

TEST_F(EngineTest, AJobMayGoAwayAtAnyMoment) {
  for (int round = 0; round < 50; ++round) {
    Job job = engine_.open_job(round % 3 == 0 ? Priority::kInteractive : Priority::kBatch);
    for (int i = 0; i < 10; ++i) job.encode(mel_of(static_cast<float>(i)));
    for (int i = 0; i < round % 7; ++i) {
      Event event = job.wait();
      if (std::holds_alternative<WindowRef>(event.outcome)) {
        job.decode(event.take<WindowRef>(), tokens(1 + round));
      }
    }
  }
  EXPECT_TRUE(engine_.is_consistent());
  EXPECT_EQ(world_.num_windows, 0);
  EXPECT_EQ(world_.num_sequences, 0);
}

}  // namespace
}  // namespace steno::engine
