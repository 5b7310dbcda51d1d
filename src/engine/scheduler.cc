#include "engine/scheduler.h"

#include <algorithm>

#include "base/check.h"

namespace steno::engine {

Scheduler::Scheduler(const SchedulerLimits& limits)
    : limits_(limits), lanes_(static_cast<std::size_t>(limits.num_lanes)) {
  STENO_CHECK(limits.num_lanes >= 1 && limits.max_windows >= 1 && limits.max_rows >= 1 &&
                  limits.num_interactive_windows >= 0,
              "{} lanes, {} + {} windows, {} rows", limits.num_lanes, limits.max_windows,
              limits.num_interactive_windows, limits.max_rows);
}

void Scheduler::submit(const Work& work) {
  STENO_CHECK(works_.empty() || works_.rbegin()->first < work.id, "work {} again", work.id);
  STENO_CHECK(work.kind == Kind::kEncode || (work.lane >= 0 && work.lane < limits_.num_lanes),
              "lane {}", work.lane);
  STENO_CHECK(work.num_rows <= limits_.max_rows, "{} rows", work.num_rows);
  Job& job = jobs_[work.job];
  if (job.num_works == 0) job.served = std::max(job.served, least_served());
  ++job.num_works;
  works_.emplace_hint(works_.end(), work.id, Entry{work});
}

// A job that was idle comes back level with the others, not with a credit for the past.
std::int64_t Scheduler::least_served() const {
  std::optional<std::int64_t> least;
  for (const auto& [id, job] : jobs_) {
    if (job.num_works > 0) least = std::min(least.value_or(job.served), job.served);
  }
  return least.value_or(0);
}

std::vector<WorkId> Scheduler::close(JobId job) {
  std::vector<WorkId> ids;
  for (const auto& [id, entry] : works_) {
    if (entry.work.job == job) ids.push_back(id);
  }
  for (const WorkId id : ids) forget(id);
  jobs_.erase(job);
  return ids;
}

std::optional<Plan> Scheduler::next(int lane) {
  Lane& state = lanes_[static_cast<std::size_t>(lane)];
  STENO_CHECK(state.num_plans == 0, "lane {} has a plan already", lane);
  std::optional<Plan> found;
  if (state.num_plans_without_batch < kPatience) found = plan(lane, Priority::kInteractive);
  if (found) {
    ++state.num_plans_without_batch;
  } else {
    state.num_plans_without_batch = 0;
    found = plan(lane, Priority::kBatch);
    if (!found) found = plan(lane, Priority::kInteractive);
  }
  state.num_plans = found ? 1 : 0;
  return found;
}

std::optional<Plan> Scheduler::interrupt(int lane) {
  Lane& state = lanes_[static_cast<std::size_t>(lane)];
  STENO_CHECK(state.num_plans == 1, "lane {} has {} plans", lane, state.num_plans);
  if (state.num_plans_without_batch >= kPatience) return std::nullopt;
  std::optional<Plan> found = plan(lane, Priority::kInteractive);
  if (!found) return std::nullopt;
  ++state.num_plans_without_batch;
  ++state.num_plans;
  return found;
}

std::optional<Plan> Scheduler::plan(int lane, Priority priority) {
  std::optional<Plan> found;
  if (may_encode(lane, priority)) found = plan_single(lane, priority, Kind::kEncode);
  if (!found) found = plan_single(lane, priority, Kind::kDetectLanguage);
  if (!found) found = plan_single(lane, priority, Kind::kAlign);
  if (!found) found = plan_step(lane, priority);
  return found;
}

std::optional<Plan> Scheduler::plan_single(int lane, Priority priority, Kind kind) {
  const Work* work = first_waiting(lane, priority, kind);
  if (work == nullptr) return std::nullopt;
  Lane& state = lanes_[static_cast<std::size_t>(lane)];
  if (kind == Kind::kEncode) {
    ++state.num_windows;
    state.num_steps_since_encode = 0;
  }
  charge(work->job, work->cost);
  works_.at(work->id).is_running = true;
  return Plan{kind, {work->id}};
}

// The sequences that run, and as many of those that wait as there is room for.
std::optional<Plan> Scheduler::plan_step(int lane, Priority priority) {
  int rows = num_rows(lane, priority, true);
  while (const Work* work = first_waiting(lane, priority, Kind::kDecode)) {
    if (rows + work->num_rows > limits_.max_rows) break;
    rows += work->num_rows;
    works_.at(work->id).is_running = true;
  }
  Plan plan{Kind::kDecode, {}};
  for (const auto& [id, entry] : works_) {
    const Work& work = entry.work;
    if (!entry.is_running || work.kind != Kind::kDecode || work.lane != lane ||
        work.priority != priority) {
      continue;
    }
    plan.works.push_back(id);
    charge(work.job, work.num_rows * limits_.cost_per_row);
  }
  if (plan.works.empty()) return std::nullopt;
  ++lanes_[static_cast<std::size_t>(lane)].num_steps_since_encode;
  return plan;
}

const Work* Scheduler::first_waiting(int lane, Priority priority, Kind kind) const {
  const Work* first = nullptr;
  for (const auto& [id, entry] : works_) {
    const Work& work = entry.work;
    if (entry.is_running || work.kind != kind || work.priority != priority) continue;
    if (work.lane != kAnyLane && work.lane != lane) continue;
    if (first == nullptr || is_before(work, *first)) first = &work;
  }
  return first;
}

bool Scheduler::is_before(const Work& a, const Work& b) const {
  const std::int64_t served_a = jobs_.at(a.job).served;
  const std::int64_t served_b = jobs_.at(b.job).served;
  return served_a != served_b ? served_a < served_b : a.id < b.id;
}

bool Scheduler::may_encode(int lane, Priority priority) const {
  const Lane& state = lanes_[static_cast<std::size_t>(lane)];
  const bool is_interactive = priority == Priority::kInteractive;
  const int reserve = is_interactive ? limits_.num_interactive_windows : 0;
  if (state.num_windows >= limits_.max_windows + reserve) return false;
  const int rows = num_rows(lane, priority, false) + num_rows(lane, priority, true);
  if (rows >= limits_.max_rows) return false;  // its text would have to wait
  if (!is_interactive) return true;
  return rows == 0 || state.num_steps_since_encode >= limits_.min_steps_between_encodes;
}

void Scheduler::update(int lane, const Plan& plan, std::span<const WorkId> finished) {
  Lane& state = lanes_[static_cast<std::size_t>(lane)];
  STENO_CHECK(state.num_plans > 0, "lane {} has no plan", lane);
  --state.num_plans;
  for (const WorkId id : plan.kind == Kind::kDecode ? finished : std::span(plan.works)) forget(id);
}

void Scheduler::release_window(int lane) {
  Lane& state = lanes_[static_cast<std::size_t>(lane)];
  STENO_CHECK(state.num_windows > 0, "lane {} holds no window", lane);
  --state.num_windows;
}

void Scheduler::charge(JobId job, std::int64_t cost) {
  jobs_.at(job).served += cost;
}

void Scheduler::forget(WorkId id) {
  const auto found = works_.find(id);
  if (found == works_.end()) return;  // cancelled
  --jobs_.at(found->second.work.job).num_works;
  works_.erase(found);
}

int Scheduler::num_rows(int lane, Priority priority, bool is_running) const {
  int sum = 0;
  for (const auto& [id, entry] : works_) {
    const Work& work = entry.work;
    if (entry.is_running == is_running && work.kind == Kind::kDecode && work.lane == lane &&
        work.priority == priority) {
      sum += work.num_rows;
    }
  }
  return sum;
}

bool Scheduler::is_consistent() const {
  std::map<JobId, int> num_works;
  for (const auto& [id, entry] : works_) {
    if (entry.work.id != id) return false;
    ++num_works[entry.work.job];
  }
  for (const auto& [id, job] : jobs_) {
    if (num_works[id] != job.num_works) return false;
  }
  for (int lane = 0; lane < limits_.num_lanes; ++lane) {
    const int windows = num_windows(lane);
    if (windows < 0 || windows > limits_.max_windows + limits_.num_interactive_windows) {
      return false;
    }
    for (const Priority priority : {Priority::kInteractive, Priority::kBatch}) {
      if (num_rows(lane, priority, true) > limits_.max_rows) return false;
    }
  }
  return true;
}

}  // namespace steno::engine
