// One core (or device): carries out plans on caches of its own.
// Path: engine -> here -> models.
// Threads: its own only.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "models/model.h"
#include "ops/ops.h"

namespace steno::engine {

// A piece of work with what it needs, and what it came to.
struct Task {
  Work work;
  std::shared_ptr<Mailbox> mailbox;
  Tensor mel;                                  // of kEncode
  WindowRef window;                            // of the others
  models::DecodeOptions options;               // of kDecode
  std::unique_ptr<models::Sequence> sequence;  // of kDecode, once it began
  models::AlignRequest alignment;              // of kAlign; without its window
  std::shared_ptr<const models::Window> encoded;
  std::optional<Event> event;  // set when it ended
};

class Lane {
 public:
  Lane(std::unique_ptr<models::Model> model, ops::Ops& ops) : model_(std::move(model)), ops_(ops) {}

  models::Model& model() { return *model_; }
  const models::Model& model() const { return *model_; }
  ops::Ops& ops() { return ops_; }

  // Carries out one plan of `kind`; those that ended have an event. Never throws: a failing pass
  // fails its tasks. `on_pause` may be empty; it is called between parts of a window's encoding,
  // and may run another plan.
  void run(Kind kind, std::span<const std::shared_ptr<Task>> tasks, ops::Ops& ops,
           const std::function<void()>& on_pause);

 private:
  void encode(Task& task, ops::Ops& ops, const std::function<void()>& on_pause);
  void detect_language(Task& task, ops::Ops& ops);
  void align(Task& task, ops::Ops& ops);
  void step(std::span<const std::shared_ptr<Task>> tasks, ops::Ops& ops);

  std::unique_ptr<models::Model> model_;
  ops::Ops& ops_;
};

}  // namespace steno::engine
