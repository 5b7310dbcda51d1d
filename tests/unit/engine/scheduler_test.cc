// The scheduler's decisions on fabricated work: no model, no thread; a plan is one tick of the
// clock.
#include "engine/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <vector>

#include "base/error.h"

namespace steno::engine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::int64_t kWindowCost = 1500;

Work encode(WorkId id, JobId job, Priority priority = Priority::kBatch) {
  return {.id = id, .job = job, .priority = priority, .kind = Kind::kEncode, .cost = kWindowCost};
}
Work decode(WorkId id, JobId job, int lane = 0, int rows = 1,
            Priority priority = Priority::kBatch) {
  return {.id = id,
          .job = job,
          .priority = priority,
          .kind = Kind::kDecode,
          .lane = lane,
          .num_rows = rows};
}

// Runs the lane's next plan; sequences in `ending` end with it.
std::vector<WorkId> tick(Scheduler& scheduler, int lane = 0, std::vector<WorkId> ending = {}) {
  const std::optional<Plan> plan = scheduler.next(lane);
  if (!plan) return {};
  scheduler.update(lane, *plan, ending);
  EXPECT_TRUE(scheduler.is_consistent());
  return plan->works;
}

TEST(Scheduler, NothingToDoIsNoPlan) {
  Scheduler scheduler({});
  EXPECT_FALSE(scheduler.next(0));
}

TEST(Scheduler, ASequenceStepsUntilItEnds) {
  Scheduler scheduler({});
  scheduler.submit(decode(1, 1));
  EXPECT_THAT(tick(scheduler), ElementsAre(1));
  EXPECT_THAT(tick(scheduler, 0, {1}), ElementsAre(1));
  EXPECT_THAT(tick(scheduler), IsEmpty());
  EXPECT_EQ(scheduler.num_works(), 0U);
}

TEST(Scheduler, NewSequencesJoinBetweenSteps) {
  Scheduler scheduler({});
  scheduler.submit(decode(1, 1));
  EXPECT_THAT(tick(scheduler), ElementsAre(1));
  scheduler.submit(decode(2, 2));
  EXPECT_THAT(tick(scheduler, 0, {1}), ElementsAre(1, 2));
  EXPECT_THAT(tick(scheduler), ElementsAre(2));
}

TEST(Scheduler, RowsAreCountedNotSequences) {
  Scheduler scheduler({.max_rows = 8});
  scheduler.submit(decode(1, 1, 0, 5));
  scheduler.submit(decode(2, 1, 0, 5));
  EXPECT_THAT(tick(scheduler, 0, {1}), ElementsAre(1));
  EXPECT_THAT(tick(scheduler), ElementsAre(2));
}

TEST(Scheduler, AWindowWaitsForRoom) {
  Scheduler scheduler({.max_windows = 2});
  for (WorkId id = 1; id <= 3; ++id) scheduler.submit(encode(id, 1));
  EXPECT_THAT(tick(scheduler), ElementsAre(1));
  EXPECT_THAT(tick(scheduler), ElementsAre(2));
  EXPECT_THAT(tick(scheduler), IsEmpty());
  scheduler.release_window(0);
  EXPECT_THAT(tick(scheduler), ElementsAre(3));
}

std::vector<WorkId> order_beside_a_sequence(Priority priority) {
  Scheduler scheduler({.num_interactive_windows = 2, .min_steps_between_encodes = 2});
  Work works[] = {decode(1, 1), encode(2, 2), encode(3, 2)};
  for (Work& work : works) {
    work.priority = priority;
    scheduler.submit(work);
  }
  std::vector<WorkId> order;
  for (int i = 0; i < 6; ++i) order.push_back(tick(scheduler).front());
  return order;
}

TEST(Scheduler, InteractiveSequencesStepBetweenTwoWindows) {
  EXPECT_THAT(order_beside_a_sequence(Priority::kInteractive), ElementsAre(1, 1, 2, 1, 1, 3));
}

TEST(Scheduler, BatchWorkFillsTheLaneBeforeItSteps) {
  EXPECT_THAT(order_beside_a_sequence(Priority::kBatch), ElementsAre(2, 3, 1, 1, 1, 1));
}

TEST(Scheduler, AWindowWhoseTextWouldWaitIsNotEncoded) {
  Scheduler scheduler({.max_rows = 1, .min_steps_between_encodes = 1});
  scheduler.submit(decode(1, 1));
  tick(scheduler);
  scheduler.submit(encode(2, 1));
  for (int i = 0; i < 5; ++i) EXPECT_THAT(tick(scheduler), ElementsAre(1));
  EXPECT_THAT(tick(scheduler, 0, {1}), ElementsAre(1));
  EXPECT_THAT(tick(scheduler), ElementsAre(2));
}

TEST(Scheduler, AnyLaneEncodesButAWindowStaysInItsLane) {
  Scheduler scheduler({.num_lanes = 2});
  scheduler.submit(encode(1, 1));
  scheduler.submit(encode(2, 1));
  const std::optional<Plan> first = scheduler.next(0);
  const std::optional<Plan> second = scheduler.next(1);
  ASSERT_TRUE(first && second);
  EXPECT_THAT(first->works, ElementsAre(1));
  EXPECT_THAT(second->works, ElementsAre(2));
  scheduler.update(0, *first, {});
  scheduler.update(1, *second, {});
  scheduler.submit(decode(3, 1, 1));
  EXPECT_THAT(tick(scheduler, 0), IsEmpty());
  EXPECT_THAT(tick(scheduler, 1), ElementsAre(3));
}

TEST(Scheduler, TheJobThatWasServedLeastIsNext) {
  Scheduler scheduler({.max_windows = 100});
  for (WorkId id = 1; id <= 10; ++id) scheduler.submit(encode(id, 1));
  EXPECT_THAT(tick(scheduler), ElementsAre(1));
  scheduler.submit(encode(11, 2));  // comes in level: one window behind the first job
  scheduler.submit(encode(12, 2));
  EXPECT_THAT(tick(scheduler), ElementsAre(2)) << "level, and older";
  EXPECT_THAT(tick(scheduler), ElementsAre(11));
  EXPECT_THAT(tick(scheduler), ElementsAre(3));
  EXPECT_THAT(tick(scheduler), ElementsAre(12));
}

TEST(Scheduler, AJobThatWasIdleHasNoCredit) {
  Scheduler scheduler({.max_windows = 100});
  scheduler.submit(encode(1, 1));
  tick(scheduler);
  for (WorkId id = 2; id <= 20; ++id) scheduler.submit(encode(id, 2));
  for (int i = 0; i < 10; ++i) tick(scheduler);
  for (WorkId id = 21; id <= 23; ++id) scheduler.submit(encode(id, 1));
  std::vector<WorkId> order;
  for (int i = 0; i < 4; ++i) order.push_back(tick(scheduler).front());
  EXPECT_THAT(order, ElementsAre(12, 21, 13, 22)) << "turns, not ten in a row";
}

TEST(Scheduler, InteractiveWorkPausesTheBatch) {
  Scheduler scheduler({});
  scheduler.submit(decode(1, 1));
  scheduler.submit(encode(2, 1));
  tick(scheduler);
  tick(scheduler);
  scheduler.submit(encode(3, 2, Priority::kInteractive));
  EXPECT_THAT(tick(scheduler), ElementsAre(3));
  scheduler.submit(decode(4, 2, 0, 1, Priority::kInteractive));
  EXPECT_THAT(tick(scheduler), ElementsAre(4));
  EXPECT_THAT(tick(scheduler, 0, {4}), ElementsAre(4));
  EXPECT_THAT(tick(scheduler), ElementsAre(1));
}

TEST(Scheduler, OnlyInteractiveWorkInterruptsABatchPlan) {
  Scheduler scheduler({});
  scheduler.submit(encode(1, 1));
  const std::optional<Plan> window = scheduler.next(0);
  ASSERT_TRUE(window);
  scheduler.submit(encode(2, 1));
  EXPECT_FALSE(scheduler.interrupt(0));
  scheduler.submit(encode(3, 2, Priority::kInteractive));
  const std::optional<Plan> clip = scheduler.interrupt(0);
  ASSERT_TRUE(clip);
  EXPECT_THAT(clip->works, ElementsAre(3));
  EXPECT_THROW(scheduler.interrupt(0), Error) << "what interrupts is not interrupted";
  scheduler.update(0, *clip, {});
  EXPECT_FALSE(scheduler.interrupt(0));
  scheduler.update(0, *window, {});
  EXPECT_TRUE(scheduler.is_consistent());
  EXPECT_EQ(scheduler.num_works(), 1U);
}

TEST(Scheduler, InteractiveWorkHasRoomOfItsOwn) {
  Scheduler scheduler({.max_windows = 1, .max_rows = 1, .num_interactive_windows = 1});
  scheduler.submit(encode(1, 1));
  tick(scheduler);
  scheduler.submit(decode(2, 1));
  tick(scheduler);
  scheduler.submit(encode(3, 2, Priority::kInteractive));
  EXPECT_THAT(tick(scheduler), ElementsAre(3));
}

TEST(Scheduler, AStreamOfInteractiveWorkDoesNotStarveTheBatch) {
  Scheduler scheduler({});
  scheduler.submit(decode(1, 1));
  scheduler.submit(decode(2, 2, 0, 1, Priority::kInteractive));
  int num_batch = 0;
  for (int i = 0; i < 10 * (Scheduler::kPatience + 1); ++i) num_batch += tick(scheduler)[0] == 1;
  EXPECT_EQ(num_batch, 10);
}

TEST(Scheduler, AClosedJobIsForgottenEvenInAPlanUnderWay) {
  Scheduler scheduler({});
  scheduler.submit(decode(1, 1));
  scheduler.submit(decode(2, 2));
  scheduler.submit(decode(3, 1));
  const std::optional<Plan> plan = scheduler.next(0);
  ASSERT_TRUE(plan);
  EXPECT_THAT(plan->works, ElementsAre(1, 2, 3));
  EXPECT_THAT(scheduler.close(1), ElementsAre(1, 3));
  scheduler.update(0, *plan, std::vector<WorkId>{1});
  EXPECT_TRUE(scheduler.is_consistent());
  EXPECT_THAT(tick(scheduler), ElementsAre(2));
}

// A 2 h file and a 3 s clip on one lane, in ticks of cost: the clip's answer does not wait for the
// file.
TEST(Scheduler, AShortRequestAfterALongFileTakesAboutItsOwnTime) {
  Scheduler scheduler({.max_windows = 8, .max_rows = 8});
  WorkId next_id = 0;
  std::map<WorkId, int> steps_left;
  for (int i = 0; i < 240; ++i) scheduler.submit(encode(++next_id, 1));
  const auto run_plan = [&] {
    const std::optional<Plan> plan = scheduler.next(0);
    if (!plan) return Plan{};
    std::vector<WorkId> finished;
    if (plan->kind == Kind::kDecode) {
      for (const WorkId id : plan->works) {
        if (--steps_left[id] == 0) finished.push_back(id);
      }
    }
    scheduler.update(0, *plan, finished);
    for (std::size_t i = 0; i < finished.size(); ++i) scheduler.release_window(0);
    if (plan->kind == Kind::kEncode && plan->works.front() <= 240) {
      steps_left[++next_id] = 100;
      scheduler.submit(decode(next_id, 1));
    }
    return *plan;
  };
  for (int i = 0; i < 200; ++i) run_plan();
  const WorkId clip = ++next_id;
  scheduler.submit(encode(clip, 2, Priority::kInteractive));
  EXPECT_THAT(run_plan().works, ElementsAre(clip));
  const WorkId text = ++next_id;
  steps_left[text] = 20;
  scheduler.submit(decode(text, 2, 0, 1, Priority::kInteractive));
  for (int i = 0; i < 20; ++i) EXPECT_THAT(run_plan().works, ElementsAre(text));
}

// Random jobs on two lanes, submitted, ended and closed at random: the counts stay true, nothing is
// stuck, and in the end nothing is left.
TEST(Scheduler, StaysConsistentUnderRandomLoad) {
  std::mt19937 random(5);
  Scheduler scheduler({.num_lanes = 2, .max_windows = 3, .max_rows = 6});
  const auto priority_of = [](JobId job) {
    return job == 5 ? Priority::kInteractive : Priority::kBatch;
  };
  WorkId next_id = 0;
  std::map<WorkId, Work> works;
  const auto submit = [&](const Work& work) {
    scheduler.submit(work);
    works[work.id] = work;
  };
  const auto close = [&](JobId job) {
    for (const WorkId id : scheduler.close(job)) {
      const Work work = works.extract(id).mapped();
      if (work.kind == Kind::kDecode) scheduler.release_window(work.lane);
    }
  };
  int num_ended = 0;
  for (int i = 0; i < 6000; ++i) {
    const bool is_filling = i < 3000;
    const JobId job = 1 + random() % 5;
    if (is_filling && random() % 3 == 0) submit(encode(++next_id, job, priority_of(job)));
    if (is_filling && random() % 200 == 0) close(job);
    const int lane = static_cast<int>(random() % 2);
    const std::optional<Plan> plan = scheduler.next(lane);
    if (!plan) continue;
    std::vector<WorkId> finished;
    for (const WorkId id : plan->works) {
      if (plan->kind == Kind::kEncode || random() % 10 == 0) finished.push_back(id);
    }
    scheduler.update(lane, *plan, finished);
    for (const WorkId id : finished) {
      const Work work = works.extract(id).mapped();
      if (work.kind == Kind::kEncode) {
        const int rows = 1 + static_cast<int>(random() % 5);
        submit(decode(++next_id, work.job, lane, rows, work.priority));
      } else {
        scheduler.release_window(lane);
        ++num_ended;
      }
    }
    ASSERT_TRUE(scheduler.is_consistent()) << i;
    ASSERT_EQ(scheduler.num_works(), works.size()) << i;
  }
  EXPECT_EQ(scheduler.num_works(), 0U);
  EXPECT_GT(num_ended, 300);
  EXPECT_EQ(scheduler.num_windows(0) + scheduler.num_windows(1), 0);
}

}  // namespace
}  // namespace steno::engine
