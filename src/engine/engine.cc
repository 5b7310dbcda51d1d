#include "engine/engine.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "engine/lane.h"

namespace steno::engine {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

// Where a job's events wait for it.
class Mailbox {
 public:
  void put(Event event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    changed_.notify_one();
  }
  Event take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_cancelled_ || !events_.empty(); });
    if (is_cancelled_) throw Error(ErrorCode::kUnavailable, "the job was cancelled");
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
  }
  void cancel() {
    std::deque<Event> dropped;  // outlives the lock: letting a window go takes the engine's
    {
      const std::lock_guard lock(mutex_);
      is_cancelled_ = true;
      std::swap(dropped, events_);
      changed_.notify_all();
    }
  }
  bool is_cancelled() const {
    const std::lock_guard lock(mutex_);
    return is_cancelled_;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;
  bool is_cancelled_ = false;
};

// The engine's state, shared with the windows that are held outside.
class Core : public std::enable_shared_from_this<Core> {
 public:
  Core(const models::Model& model, std::span<const std::unique_ptr<ops::Ops>> lane_ops,
       ops::Ops* wide_ops, const SchedulerLimits& limits, std::optional<DType> window_dtype);

  void start();
  void stop();

  JobId next_job() {
    const std::lock_guard lock(mutex_);
    return ++last_job_;
  }
  WorkId submit(std::shared_ptr<Task> task);
  void close(JobId job);
  void release(int lane, std::shared_ptr<const models::Window> window);

  const models::Model& model() const { return model_; }
  const SchedulerLimits& limits() const { return limits_; }
  Stats stats() const;
  bool is_consistent() const;

 private:
  // What a lane may not touch under the lock, or only itself may touch: destroyed by the lane
  // between two plans.
  struct Dropped {
    std::vector<std::shared_ptr<Task>> tasks;
    std::vector<std::shared_ptr<const models::Window>> windows;
    bool is_empty() const { return tasks.empty() && windows.empty(); }
  };

  struct Assignment {
    Plan plan;
    std::vector<std::shared_ptr<Task>> tasks;
    bool is_alone = false;  // no other lane is at work
  };

  void run_lane(int index);
  std::optional<Assignment> wait_for_assignment(int index);
  void carry_out(int index, const Assignment& assignment);
  void serve_interactive(int index, ops::Ops& ops);
  Assignment assign(Plan plan, bool is_alone) const;
  void count(const Plan& plan, double seconds);
  std::vector<std::shared_ptr<Task>> settle(int index, const Assignment& assignment,
                                            double seconds);
  void deliver(int index, std::span<const std::shared_ptr<Task>> tasks);

  bool is_idle() const;

  const models::Model& model_;
  SchedulerLimits limits_;
  ops::Ops* wide_ops_;
  std::mutex wide_mutex_;
  std::vector<Lane> lanes_;  // before all that lives in their caches

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Scheduler scheduler_;
  std::map<WorkId, std::shared_ptr<Task>> tasks_;
  std::vector<Dropped> dropped_;  // by lane
  WorkId last_work_ = 0;
  JobId last_job_ = 0;
  int num_busy_lanes_ = 0;
  bool is_stopping_ = false;
  Stats stats_;

  std::vector<std::thread> threads_;
};

Core::Core(const models::Model& model, std::span<const std::unique_ptr<ops::Ops>> lane_ops,
           ops::Ops* wide_ops, const SchedulerLimits& limits, std::optional<DType> window_dtype)
    : model_(model),
      limits_(limits),
      wide_ops_(wide_ops),
      scheduler_(limits),
      dropped_(static_cast<std::size_t>(limits.num_lanes)) {
  for (const std::unique_ptr<ops::Ops>& ops : lane_ops) {
    Lane& lane = lanes_.emplace_back(model.share(), *ops);
    // Batch and interactive sequences may be alive side by side, each up to max_rows.
    lane.model().reserve(*ops, {.max_windows = limits.max_windows + limits.num_interactive_windows,
                                .max_rows = 2 * limits.max_rows,
                                .window_dtype = window_dtype});
  }
}

void Core::start() {
  for (int i = 0; i < limits_.num_lanes; ++i) {
    threads_.emplace_back([this, i] { run_lane(i); });
  }
}

void Core::stop() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

WorkId Core::submit(std::shared_ptr<Task> task) {
  const std::lock_guard lock(mutex_);
  task->work.id = ++last_work_;
  const WorkId id = task->work.id;
  if (task->mailbox->is_cancelled()) return id;  // wait() will tell
  scheduler_.submit(task->work);
  tasks_.emplace(id, std::move(task));
  changed_.notify_all();
  return id;
}

void Core::close(JobId job) {
  const std::lock_guard lock(mutex_);
  for (const WorkId id : scheduler_.close(job)) {
    const auto found = tasks_.find(id);
    const int lane = std::max(0, found->second->work.lane);
    dropped_[static_cast<std::size_t>(lane)].tasks.push_back(std::move(found->second));
    tasks_.erase(found);
  }
  changed_.notify_all();
}

void Core::release(int lane, std::shared_ptr<const models::Window> window) {
  const std::lock_guard lock(mutex_);
  dropped_[static_cast<std::size_t>(lane)].windows.push_back(std::move(window));
  scheduler_.release_window(lane);
  changed_.notify_all();
}

// TRAP: letting a task or a window go may take the lock, so none dies while it is held.
std::optional<Core::Assignment> Core::wait_for_assignment(int index) {
  while (true) {
    Dropped dropped;
    std::unique_lock lock(mutex_);
    std::swap(dropped, dropped_[static_cast<std::size_t>(index)]);
    if (!dropped.is_empty()) {
      ++num_busy_lanes_;
      lock.unlock();
      dropped = {};
      lock.lock();
      --num_busy_lanes_;
      continue;
    }
    if (is_stopping_) return std::nullopt;
    if (std::optional<Plan> plan = scheduler_.next(index)) {
      return assign(std::move(*plan), num_busy_lanes_++ == 0);
    }
    if (is_idle()) changed_.notify_all();  // is_consistent() may wait for it
    changed_.wait(lock);
  }
}

void Core::run_lane(int index) {
  while (std::optional<Assignment> assignment = wait_for_assignment(index)) {
    const auto begin = Clock::now();
    carry_out(index, *assignment);
    deliver(index, settle(index, *assignment, seconds_since(begin)));
    assignment.reset();  // its tasks hold windows: the lane is busy until they are gone
    const std::lock_guard lock(mutex_);
    --num_busy_lanes_;
  }
}

Core::Assignment Core::assign(Plan plan, bool is_alone) const {
  Assignment assignment{std::move(plan), {}, is_alone};
  for (const WorkId id : assignment.plan.works) assignment.tasks.push_back(tasks_.at(id));
  return assignment;
}

// On all cores when no other lane is at work and nobody else holds them.
void Core::carry_out(int index, const Assignment& assignment) {
  Lane& lane = lanes_[static_cast<std::size_t>(index)];
  std::unique_lock<std::mutex> wide(wide_mutex_, std::defer_lock);
  const bool is_wide = assignment.is_alone && wide_ops_ != nullptr && wide.try_lock();
  ops::Ops& ops = is_wide ? *wide_ops_ : lane.ops();
  std::function<void()> on_pause;
  if (assignment.tasks.front()->work.priority != Priority::kInteractive) {
    on_pause = [&] { serve_interactive(index, ops); };
  }
  lane.run(assignment.plan.kind, assignment.tasks, ops, on_pause);
}

// Between two layers of a batch window: what somebody waits for does not wait for the rest of them.
void Core::serve_interactive(int index, ops::Ops& ops) {
  while (true) {
    std::optional<Assignment> assignment;
    {
      const std::lock_guard lock(mutex_);
      std::optional<Plan> plan = scheduler_.interrupt(index);
      if (!plan) return;
      assignment = assign(std::move(*plan), false);
    }
    const auto begin = Clock::now();
    lanes_[static_cast<std::size_t>(index)].run(assignment->plan.kind, assignment->tasks, ops, {});
    deliver(index, settle(index, *assignment, seconds_since(begin)));
  }
}

void Core::count(const Plan& plan, double seconds) {
  if (plan.kind == Kind::kEncode) {
    stats_.num_windows += std::ssize(plan.works);
    stats_.encode_s += seconds;
  } else if (plan.kind == Kind::kDecode) {
    ++stats_.num_steps;
    stats_.num_sequence_steps += std::ssize(plan.works);
    stats_.step_s += seconds;
  }
}

// The scheduler learns what ended. Returns those to be told.
std::vector<std::shared_ptr<Task>> Core::settle(int index, const Assignment& assignment,
                                                double seconds) {
  std::vector<std::shared_ptr<Task>> ended;
  std::vector<WorkId> finished;
  const std::lock_guard lock(mutex_);
  count(assignment.plan, seconds);
  for (const std::shared_ptr<Task>& task : assignment.tasks) {
    if (!task->event && task->encoded == nullptr) continue;
    if (task->event && std::holds_alternative<std::exception_ptr>(task->event->outcome)) {
      ++stats_.num_failures;
      if (assignment.plan.kind == Kind::kEncode) scheduler_.release_window(index);  // there is none
    }
    finished.push_back(task->work.id);
    ended.push_back(task);
    tasks_.erase(task->work.id);
  }
  scheduler_.update(index, assignment.plan, finished);
  return ended;
}

void Core::deliver(int index, std::span<const std::shared_ptr<Task>> tasks) {
  for (const std::shared_ptr<Task>& task : tasks) {
    if (task->encoded != nullptr) {
      task->event = Event{task->work.id, std::make_shared<const EncodedWindow>(
                                             shared_from_this(), index, std::move(task->encoded))};
    }
    if (task->mailbox->is_cancelled()) continue;
    task->mailbox->put(std::move(*task->event));
  }
}

Stats Core::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

bool Core::is_idle() const {
  return num_busy_lanes_ == 0 && tasks_.empty() &&
         std::ranges::all_of(dropped_, &Dropped::is_empty);
}

bool Core::is_consistent() const {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return is_idle(); });
  return scheduler_.is_consistent() && scheduler_.num_works() == 0 &&
         std::ranges::all_of(lanes_, [](const Lane& lane) { return lane.model().is_consistent(); });
}

EncodedWindow::~EncodedWindow() {
  core_->release(lane_, std::move(window_));
}

Job::Job(std::shared_ptr<Core> core, JobId id, Priority priority)
    : core_(std::move(core)), mailbox_(std::make_shared<Mailbox>()), id_(id), priority_(priority) {}

Job::Job(Job&&) noexcept = default;

Job::~Job() {
  if (core_ == nullptr) return;
  mailbox_->cancel();
  core_->close(id_);
}

void Job::cancel() {
  mailbox_->cancel();
  core_->close(id_);
}

WorkId Job::encode(Tensor mel) {
  const models::ModelInfo& info = core_->model().info();
  STENO_CHECK(mel.shape().rank() == 2 && mel.dim(0) > 0 && mel.dim(0) <= info.window_frames &&
                  mel.dim(0) % info.frames_per_position == 0 && mel.dim(1) == info.num_mel_bins,
              "mel {}", mel.shape().to_string());
  auto task = std::make_shared<Task>();
  task->work = {.job = id_,
                .priority = priority_,
                .kind = Kind::kEncode,
                .cost = mel.dim(0) / info.frames_per_position};
  task->mailbox = mailbox_;
  task->mel = std::move(mel);
  ++num_pending_;
  return core_->submit(std::move(task));
}

WorkId Job::detect_language(WindowRef window) {
  auto task = std::make_shared<Task>();
  task->work = {.job = id_,
                .priority = priority_,
                .kind = Kind::kDetectLanguage,
                .lane = window->lane(),
                .cost = core_->limits().cost_per_row};
  task->mailbox = mailbox_;
  task->window = std::move(window);
  ++num_pending_;
  return core_->submit(std::move(task));
}

WorkId Job::decode(WindowRef window, models::DecodeOptions options) {
  core_->model().check(options);
  const int num_rows = options.temperature > 0 ? options.best_of : options.beam_size;
  if (num_rows > core_->limits().max_rows) {
    throw Error(ErrorCode::kInvalidValue,
                "{} beams or samples are asked for, but the engine has room for {}", num_rows,
                core_->limits().max_rows);
  }
  auto task = std::make_shared<Task>();
  task->work = {.job = id_,
                .priority = priority_,
                .kind = Kind::kDecode,
                .lane = window->lane(),
                .num_rows = num_rows};
  task->mailbox = mailbox_;
  task->window = std::move(window);
  task->options = std::move(options);
  ++num_pending_;
  return core_->submit(std::move(task));
}

WorkId Job::align(WindowRef window, models::AlignRequest request) {
  auto task = std::make_shared<Task>();
  task->work = {.job = id_,
                .priority = priority_,
                .kind = Kind::kAlign,
                .lane = window->lane(),
                .cost = core_->limits().cost_per_row * std::ssize(request.tokens)};
  task->mailbox = mailbox_;
  task->window = std::move(window);
  task->alignment = std::move(request);
  ++num_pending_;
  return core_->submit(std::move(task));
}

Event Job::wait() {
  STENO_CHECK(num_pending_ > 0, "nothing to wait for");
  Event event = mailbox_->take();
  --num_pending_;
  return event;
}

WindowRef Job::encode_now(Tensor mel) {
  STENO_CHECK(num_pending_ == 0, "{} pieces are pending", num_pending_);
  encode(std::move(mel));
  return wait().take<WindowRef>();
}

Languages Job::detect_language_now(WindowRef window) {
  STENO_CHECK(num_pending_ == 0, "{} pieces are pending", num_pending_);
  detect_language(std::move(window));
  return wait().take<Languages>();
}

models::WindowText Job::decode_now(WindowRef window, models::DecodeOptions options) {
  STENO_CHECK(num_pending_ == 0, "{} pieces are pending", num_pending_);
  decode(std::move(window), std::move(options));
  return wait().take<models::WindowText>();
}

models::Alignment Job::align_now(WindowRef window, models::AlignRequest request) {
  STENO_CHECK(num_pending_ == 0, "{} pieces are pending", num_pending_);
  align(std::move(window), std::move(request));
  return wait().take<models::Alignment>();
}

Engine::Engine(const models::Model& model, std::span<const std::unique_ptr<ops::Ops>> lane_ops,
               ops::Ops* wide_ops, SchedulerLimits limits, std::optional<DType> window_dtype) {
  limits.num_lanes = static_cast<int>(lane_ops.size());
  core_ = std::make_shared<Core>(model, lane_ops, wide_ops, limits, window_dtype);
  core_->start();
}

Engine::~Engine() {
  core_->stop();
}

Job Engine::open_job(Priority priority) {
  return Job(core_, core_->next_job(), priority);
}

int Engine::num_window_slots() const {
  return core_->limits().num_lanes * core_->limits().max_windows;
}

int Engine::max_rows() const {
  return core_->limits().max_rows;
}

Stats Engine::stats() const {
  return core_->stats();
}

bool Engine::is_consistent() const {
  return core_->is_consistent();
}

}  // namespace steno::engine
