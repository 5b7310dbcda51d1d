// Who is served next, and with how much: a pure decision. No clock, no thread, no tensor.
//
// A lane (a core, or a device) asks next() for a plan, carries it out, and tells update() what
// ended. A plan is one forward pass: one window encoded, or one token for each running sequence of
// the lane. Sequences join and leave between any two steps.
//
//   - Interactive work goes first: while a lane has any, its batch sequences stand still, but for
//     one plan in kPatience, so that a stream of short requests cannot starve a long file. It has
//     room of its own, so it never waits for a batch window to end.
//   - Among equals the job that was served least, in cost units, is next; within a job the oldest.
//   - A window is encoded when the lane has room for it and for its rows: a step costs little more
//     for many rows than for one, so batch work fills the lane before it takes the next step.
//     Between two interactive windows the running sequences get min_steps_between_encodes steps, so
//     that a new request does not hold up those that are being read out.
//
// Path: engine (submit, close) -> here -> lane.   Source: continuous batching as in Orca (Yu et
// al., 2022); fairness by start-time fair queueing (Goyal et al., 1996).
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/work.h"

namespace steno::engine {

struct SchedulerLimits {
  int num_lanes = 1;
  // Of each lane, for batch work: windows encoded and not let go, and rows of running sequences.
  int max_windows = 8;
  int max_rows = 8;
  // On top of these, for interactive work; it may have as many rows again.
  int num_interactive_windows = 1;
  int min_steps_between_encodes = 4;
  std::int64_t cost_per_row = 2;  // of one step; a decoder of Whisper's costs 1/800 of a window
};

// One forward pass of a lane.
struct Plan {
  Kind kind = Kind::kEncode;
  std::vector<WorkId> works;  // of kDecode: every sequence that advances, new ones included
};

class Scheduler {
 public:
  explicit Scheduler(const SchedulerLimits& limits);

  // Requires ids that rise, a lane for all but kEncode, and at most max_rows rows.
  void submit(const Work& work);

  // Forgets a job and all of its work, which it returns. What a plan under way contains is
  // forgotten too; update() passes over it.
  std::vector<WorkId> close(JobId job);

  // Nothing when this lane has nothing to do. Requires that its last plan was updated.
  std::optional<Plan> next(int lane);

  // Interactive work for a lane whose batch plan is under way, to be carried out before that plan
  // goes on. Requires one plan under way.
  std::optional<Plan> interrupt(int lane);

  // `finished`: of the plan, what needs no further plan; all of it, but for kDecode.
  void update(int lane, const Plan& plan, std::span<const WorkId> finished);

  // An encoded window of this lane was let go.
  void release_window(int lane);

  int num_windows(int lane) const { return lanes_[static_cast<std::size_t>(lane)].num_windows; }
  // Of sequences of this lane and priority that run, or that wait.
  int num_rows(int lane, Priority priority, bool is_running) const;
  std::size_t num_works() const { return works_.size(); }

  // Counts agree with the lists. For tests, after every step.
  bool is_consistent() const;

  // Of the plans of a lane that has interactive and batch work, one in so many is for the batch.
  static constexpr int kPatience = 64;

 private:
  struct Entry {
    Work work;
    bool is_running = false;  // a sequence that has begun, or what a plan under way contains
  };
  struct Lane {
    int num_windows = 0;
    int num_steps_since_encode = 0;
    int num_plans_without_batch = 0;
    int num_plans = 0;  // under way: one, and one that interrupts it
  };
  struct Job {
    std::int64_t served = 0;  // cost units
    int num_works = 0;
  };

  std::optional<Plan> plan(int lane, Priority priority);
  std::optional<Plan> plan_single(int lane, Priority priority, Kind kind);
  std::optional<Plan> plan_step(int lane, Priority priority);
  const Work* first_waiting(int lane, Priority priority, Kind kind) const;
  std::int64_t least_served() const;
  bool is_before(const Work& a, const Work& b) const;
  bool may_encode(int lane, Priority priority) const;
  void charge(JobId job, std::int64_t cost);
  void forget(WorkId id);

  SchedulerLimits limits_;
  std::vector<Lane> lanes_;
  std::map<WorkId, Entry> works_;
  std::map<JobId, Job> jobs_;
};

}  // namespace steno::engine
