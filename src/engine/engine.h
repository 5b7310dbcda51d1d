// Windows from many jobs -> batches -> model steps: the one place where a model runs.
//
// A job submits work and is told when each piece is done. A retry, a second language or a re-decode
// is just another piece of work on the same encoded window. Every lane is a thread with the model's
// shared weights, caches of its own and its own batch; one scheduler feeds them all, so lanes fall
// out of step by themselves and one encodes (arithmetic) while another decodes (memory).
//
// Path: transcribe -> here -> scheduler -> lane -> models.
// Threads: an Engine may be used from any thread; a Job from one thread at a time, but for
// cancel(). Jobs and windows must be gone before the engine.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/scheduler.h"
#include "engine/work.h"
#include "models/model.h"
#include "ops/ops.h"
#include "tensor/tensor.h"

namespace steno::engine {

class Core;

// An encoded window; its memory is free for another with the last reference.
class EncodedWindow {
 public:
  EncodedWindow(std::shared_ptr<Core> core, int lane, std::shared_ptr<const models::Window> window)
      : core_(std::move(core)), lane_(lane), window_(std::move(window)) {}
  ~EncodedWindow();
  EncodedWindow(const EncodedWindow&) = delete;
  EncodedWindow& operator=(const EncodedWindow&) = delete;

  int lane() const { return lane_; }
  const std::shared_ptr<const models::Window>& window() const { return window_; }

 private:
  std::shared_ptr<Core> core_;
  int lane_;
  std::shared_ptr<const models::Window> window_;
};
using WindowRef = std::shared_ptr<const EncodedWindow>;

using Languages = std::vector<models::LanguageScore>;  // best first

// A piece of work that ended.
struct Event {
  WorkId id = 0;
  // The exception says why it failed; only its own job hears of it.
  std::variant<WindowRef, Languages, models::WindowText, models::Alignment, std::exception_ptr>
      outcome;

  // The outcome of a kind. Throws what made it fail.
  template <typename T>
  T take() {
    if (auto* error = std::get_if<std::exception_ptr>(&outcome)) std::rethrow_exception(*error);
    return std::move(std::get<T>(outcome));
  }
};

class Mailbox;

class Job {
 public:
  Job(std::shared_ptr<Core> core, JobId id, Priority priority);
  // Cancels what is left and does not wait for it.
  ~Job();
  Job(Job&&) noexcept;
  Job& operator=(Job&&) = delete;

  // ---- these return at once; wait() tells when they are done
  // mel [F, num_mel_bins], normalised: Model::encode says which F.
  WorkId encode(Tensor mel);
  WorkId detect_language(WindowRef window);
  // Throws what Model::check throws, and Error(kInvalidValue) for more rows than the engine has.
  WorkId decode(WindowRef window, models::DecodeOptions options);
  // The request's window is the one given here. Requires a model that can align.
  WorkId align(WindowRef window, models::AlignRequest request);

  // The next piece that ended, in the order in which they end. Requires num_pending() > 0. Throws
  // Error(kUnavailable) when the job was cancelled.
  Event wait();
  int num_pending() const { return num_pending_; }

  // ---- one piece, waited for. Require num_pending() == 0.
  WindowRef encode_now(Tensor mel);
  Languages detect_language_now(WindowRef window);
  models::WindowText decode_now(WindowRef window, models::DecodeOptions options);
  models::Alignment align_now(WindowRef window, models::AlignRequest request);

  // Frees all that the job holds within one step, and wakes wait(). From any thread.
  void cancel();

 private:
  std::shared_ptr<Core> core_;
  std::shared_ptr<Mailbox> mailbox_;
  JobId id_;
  Priority priority_;
  int num_pending_ = 0;
};

struct Stats {
  std::int64_t num_windows = 0;  // encoded
  double encode_s = 0;           // of all lanes
  std::int64_t num_steps = 0;
  std::int64_t num_sequence_steps = 0;  // divided by num_steps: the mean batch
  double step_s = 0;
  std::int64_t num_failures = 0;
};

class Engine {
 public:
  // `lane_ops`: one for each lane; `wide_ops`, which may be null: all cores, for a lane that is
  // alone. `model` and the ops must outlive the engine. Each lane gets caches of its own; for
  // `window_dtype` see CacheConfig.
  Engine(const models::Model& model, std::span<const std::unique_ptr<ops::Ops>> lane_ops,
         ops::Ops* wide_ops, SchedulerLimits limits, std::optional<DType> window_dtype = {});
  // Requires that no job and no window is left.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  Job open_job(Priority priority);
  // Windows that may be in flight at a time; more wait in the engine's queue.
  int num_window_slots() const;
  int max_rows() const;
  Stats stats() const;

  // Free + used = total in every cache, and the scheduler's counts agree. Waits until no work is
  // left. For tests.
  bool is_consistent() const;

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace steno::engine
