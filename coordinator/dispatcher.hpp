#pragma once
// The shell of engine/placement: workers offer slots, visits want tickets, chains hold them. Knows which worker is registered, which is
// cordoned, who holds what, and for whom a recovered chain waits.
#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "actors/messages.hpp"
#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "coordinator/node_rate.hpp"
#include "coordinator/recent.hpp"
#include "engine/placement.hpp"
#include "storage/cluster_records.hpp"

namespace catena::coordinator {

struct DispatcherOptions {
  const Clock* clock = nullptr;           // outlives it
  std::int64_t adopt_ms = 0;              // from GateOpen on: see Settings
  std::int64_t lease_ms = 0;              // of workers that an earlier coordinator may have granted theirs to; 0: there are none
  caf::actor journal = {};                // null: no order is kept
  storage::NodeControls controls = {};    // that hold since an earlier start
  std::shared_ptr<Metrics> metrics = {};  // null: nothing is measured
  std::int64_t own_lease_ms = 0;          // that is granted now; where it is the shorter one it is written once no other can hold any more
};

struct DispatcherState {
  struct Worker {
    caf::actor node;
    actors::Hello hello;
    std::optional<actors::NodeStatus> status;  // the newest, of workers that send heartbeats
    NodeRate rate;
    bool parting = false;   // it has left: its node waits until nobody has a ticket of it
    bool answered = false;  // nobody has
  };
  /// A worker that went away without having left.
  struct Lost {
    actors::NodeInfo info;  // as it was last
    UnixMillis at = 0;
  };
  struct Holder {
    caf::actor chain;
    ChainId family;
    engine::ShareKey share = 0;
    std::map<std::pair<WorkerId, Incarnation>, std::uint32_t> lent;  // tickets, by whose they are
    std::map<VisitId, engine::WantKey> wants;
    std::map<VisitId, engine::AskKey> asked;  // after room
    std::set<WorkerId> claimed;               // workers for which claims of it waited
  };
  /// What a chain wants, or asks after, for one of its visits.
  struct OfVisit {
    caf::actor_addr chain;
    VisitId visit;
  };
  struct Family {
    engine::ShareKey share = 0;
    std::size_t chains = 0;
  };
  struct Waiting {
    caf::actor chain;
    actors::Claim claim;
  };
  engine::Placement placement;
  std::map<WorkerId, Worker> workers;
  std::map<caf::actor_addr, WorkerId> nodes;
  std::map<caf::actor_addr, Holder> chains;
  std::map<engine::WantKey, OfVisit> wants;
  std::map<engine::AskKey, OfVisit> asks;                   // after room
  std::map<ChainId, Family> families;                       // by the chain that somebody submitted
  storage::NodeControls controls;                           // by name, whichever their incarnation
  std::map<WorkerId, Lost> lost;                            // the latest of them
  Recent<WorkerId> left{kLeftMax};                          // workers that were here
  Recent<std::pair<WorkerId, Incarnation>> over{kOverMax};  // starts that were given up: what comes of them late comes soon after
  std::map<actors::CommitNumber, std::pair<caf::actor, actors::NodeControl>> unwritten;  // what is not durable yet, and who asked
  caf::actor journal;
  std::shared_ptr<Metrics> metrics;
  std::map<WorkerId, std::vector<Waiting>> claims;  // on workers that have not registered yet
  bool adopting = false;                            // they may do so still
  bool leased = false;                              // they may begin what they hold, even where others of their names have registered
  std::uint64_t last_key = 0;                       // of wants, questions and shares
  actors::CommitNumber last_commit = 0;
  const Clock* clock = nullptr;  // outlives it
  static constexpr std::size_t kLostMax = 100;
  static constexpr UnixMillis kLostShownMillis = 3'600'000;  // names may be made anew for each start: nobody waits for those
  static constexpr std::size_t kLeftMax = 1024;
  static constexpr std::size_t kOverMax = 4096;
  static inline const char* name = "dispatcher";
};

caf::behavior dispatcher(caf::stateful_actor<DispatcherState>* self, caf::actor supervisor, DispatcherOptions options);

}  // namespace catena::coordinator
