#pragma once
// Questions after why chains do not move, within one process.
#include <caf/actor.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "engine/reason.hpp"

namespace catena::actors {

/// Why does a chain, or a step of it, not move as far as others than its records know? To the supervisor; answered with Explained. Everybody on
/// the way adds to `reasons`, which begin with what the asker knows.
struct AskExplain {
  ChainId chain;
  std::string step = {};  // empty: all of it
  std::vector<engine::Reason> reasons = {};
};
/// The same on its way through the dispatcher, with what the chain itself knows.
struct ExplainWants {
  AskExplain ask;
  std::vector<std::pair<VisitId, std::string>> visits;  // that want tickets, and what their steps are called
  caf::actor asker;
};
struct Explained {
  ChainId chain;
  std::vector<engine::Reason> reasons;  // in the order in which they are told
};
/// Chains that wait for the same reason.
struct QueueGroup {
  engine::Reason reason;
  std::uint64_t chains = 0;
  std::uint64_t orders = 0;        // that they would send out now, where they wait for workers
  std::vector<ChainId> some = {};  // of those that somebody submitted, the first
};
inline constexpr std::size_t kQueueExamples = 5;
/// What waits in the whole cluster, and why? To the supervisor, with what the asker knows; the dispatcher answers with Queue.
struct AskQueue {
  std::vector<QueueGroup> groups = {};
  caf::actor asker = {};  // of the supervisor
};
struct Queue {
  std::vector<QueueGroup> groups;
};

}  // namespace catena::actors

#define CATENA_EXPLAIN_MESSAGES(X) X(AskExplain) X(ExplainWants) X(Explained) X(AskQueue) X(Queue)
