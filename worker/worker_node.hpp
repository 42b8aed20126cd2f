#pragma once
// A worker: offers its slots to a dispatcher, takes orders, runs their attempts, reports. Each start is a new incarnation.
#include <caf/actor.hpp>
#include <caf/fwd.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "actors/protocol.hpp"
#include "base/clock.hpp"
#include "base/ids.hpp"
#include "worker/executor.hpp"
#include "worker/outbox.hpp"
#include "worker/slots.hpp"

namespace catena::worker {

struct NodeOptions {
  WorkerId id{"local"};
  Incarnation incarnation = 1;
  std::uint32_t slots = 1;
  std::vector<std::string> labels;
  bool alone = false;  // nobody else will ever come: it takes whatever there is, and says itself what it cannot run
  ExecutorOptions executors;
  std::function<bool(const Job& job)> may_begin = {};  // see SlotOptions
  std::shared_ptr<SlotCounters> counters = {};         // see SlotOptions
  /// Makes the program that an order names a file of this machine; asked for orders that name one. Null: whoever sends them did.
  std::function<Result<void>(actors::WorkOrder& order)> put_in_place = {};
  caf::actor log_keeper = {};  // gets what the executors' log buffer holds; empty: somebody else empties it
};

struct NodeState {
  AnchoredClock clock;  // of executors that are given none
  std::shared_ptr<Outbox> outbox;
  std::unique_ptr<SlotPool> pool;
  std::uint64_t log_credit = actors::kLogCreditBytes;
  Executors at_once;  // for single short tasks, which need no slot
  static inline const char* name = "worker";
};

caf::behavior worker_node(caf::stateful_actor<NodeState>* self, NodeOptions options, caf::actor dispatcher);

}  // namespace catena::worker
