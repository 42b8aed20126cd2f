#pragma once
// One an open visit: evaluates the step where that reads the store or files, builds the attempts of a grant from the visit's arguments and
// items, sends them to a worker (or starts child chains), shapes and checks what comes back, and tells the chain coordinator. Rebuilt at
// will: all it holds is in the store.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "actors/messages.hpp"
#include "coordinator/item_arguments.hpp"
#include "coordinator/services.hpp"
#include "coordinator/watched_reads.hpp"

namespace catena::coordinator {

/// What a step actor is born with.
struct StepContext {
  explicit StepContext(std::shared_ptr<const Services> with) : services{std::move(with)}, reads{*services->kv} {}

  std::shared_ptr<const Services> services;
  WatchedReads reads;  // of their store
  caf::actor coordinator;
  ChainId chain;
  std::uint32_t depth = 0;  // of the chain
  std::shared_ptr<const lang::Package> package;
  std::shared_ptr<const lang::Program> program;
  VisitId visit;
  engine::Payload arguments;  // of the visit, once it is entered
  engine::Payload context;
  ChainLabels labels;                 // of the chain
  std::string directory;              // where the chain was submitted; empty: nobody knows
  std::uint64_t removals_before = 0;  // the chain, as its start says
  storage::Durability durability = storage::Durability::sync;
  bool only_failed = false;  // see Submission
};

struct StepState {
  std::shared_ptr<StepContext> context;
  struct Order {
    Incarnation incarnation = 0;
    caf::actor node;  // empty: child chains
    std::shared_ptr<const engine::ChainState> state;
    std::map<ChainId, ItemIndex> children;  // still running
    IndexSet open;                          // not reported yet
    std::uint64_t item_bytes = 0;           // of an item's arguments, in the mean
    bool ending = false;                    // its children were told to end
  };
  std::map<GrantId, Order> orders;
  std::optional<actors::StepEvaluated> answer;  // until the visit runs: who asks again hears the same
  ItemArguments arguments;
  std::optional<std::string> environment;  // of its process, read once
  static inline const char* name = "step";
};

caf::behavior step_actor(caf::stateful_actor<StepState>* self, StepContext context);

/// What the names of a fan-out's tasks have before the last '/'.
[[nodiscard]] std::string visit_key(const ChainId& chain, const lang::Step& step, VisitId visit);
/// The name of a task, the same for every attempt: chain/step[/index], with the visit where a step is entered again. A child chain is named by it.
[[nodiscard]] std::string task_key(const ChainId& chain, const lang::Step& step, VisitId visit, ItemIndex item);
/// What a tool sees as its idempotency key. A chain whose id others may have had has a number in it, so that nobody takes its tasks for theirs.
[[nodiscard]] std::string attempt_key(std::string task_key, std::uint64_t removals_before);

}  // namespace catena::coordinator
