#include "engine/lane.h"

namespace steno::engine {
namespace {

void fail(Task& task) {
  task.event = Event{task.work.id, std::current_exception()};
  task.sequence.reset();
}

}  // namespace

void Lane::run(Kind kind, std::span<const std::shared_ptr<Task>> tasks, ops::Ops& ops,
               const std::function<void()>& on_pause) {
  if (kind == Kind::kDecode) {
    step(tasks, ops);
    return;
  }
  for (const std::shared_ptr<Task>& task : tasks) {
    try {
      if (kind == Kind::kEncode) encode(*task, ops, on_pause);
      if (kind == Kind::kDetectLanguage) detect_language(*task, ops);
      if (kind == Kind::kAlign) align(*task, ops);
    } catch (...) {
      fail(*task);
    }
  }
}

void Lane::encode(Task& task, ops::Ops& ops, const std::function<void()>& on_pause) {
  const Tensor batch = task.mel.reshaped({1, task.mel.dim(0), task.mel.dim(1)});
  task.encoded = model_->encode(ops, batch, on_pause).front();
  task.mel = Tensor();
}

void Lane::detect_language(Task& task, ops::Ops& ops) {
  task.event = Event{task.work.id, model_->detect_language(ops, task.window->window())};
}

void Lane::align(Task& task, ops::Ops& ops) {
  models::AlignRequest request = std::move(task.alignment);
  request.window = task.window->window();
  task.event = Event{task.work.id, std::move(model_->align(ops, {&request, 1}).front())};
}

// One token for each. A sequence that cannot begin fails alone; a pass that fails, fails its batch.
void Lane::step(std::span<const std::shared_ptr<Task>> tasks, ops::Ops& ops) {
  std::vector<Task*> running;
  std::vector<models::Sequence*> sequences;
  for (const std::shared_ptr<Task>& task : tasks) {
    try {
      if (task->sequence == nullptr) {
        task->sequence = model_->start(task->window->window(), task->options);
      }
      running.push_back(task.get());
      sequences.push_back(task->sequence.get());
    } catch (...) {
      fail(*task);
    }
  }
  try {
    if (!sequences.empty()) model_->step(ops, sequences);
  } catch (...) {
    for (Task* task : running) fail(*task);
    return;
  }
  for (Task* task : running) {
    try {
      if (!task->sequence->is_done()) continue;
      task->event = Event{task->work.id, task->sequence->result()};
      task->sequence.reset();
    } catch (...) {
      fail(*task);
    }
  }
}

}  // namespace steno::engine
