#pragma once
// Which chains there are and who waits for them. Starts a chain coordinator for each that runs, rebuilds one that died from the
// journal, answers for those that have ended from the store.
#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/chain_coordinator.hpp"
#include "coordinator/services.hpp"

namespace catena::coordinator {

struct SupervisorState {
  struct Running {
    caf::actor coordinator;  // none: it died and is being rebuilt
    ChainId parent;
    std::uint32_t rebuilt = 0;
    caf::actor submitter;  // of a chain that this supervisor began
    std::vector<std::pair<caf::actor, actors::Order>> orders;  // came while there was no coordinator
  };
  /// A coordinator died, and what it had sent to the journal is not written yet.
  struct Death {
    ChainId chain;
    caf::error reason;
  };
  std::shared_ptr<Services> services;
  std::map<ChainId, Running> running;
  std::map<caf::actor_addr, ChainId> by_address;
  std::map<ChainId, std::vector<caf::actor>> waiting;
  std::map<std::uint64_t, Death> deaths;  // by ticket of the commit that stands behind those of the dead
  std::uint64_t last_ticket = 0;
  std::map<std::string, std::weak_ptr<const lang::Package>> packages;  // by hash
  static inline const char* name = "supervisor";
};

/// `services` gets its supervisor handle here; journal and dispatcher are set before the first chain runs.
caf::behavior supervisor(caf::stateful_actor<SupervisorState>* self, std::shared_ptr<Services> services);

/// Ids name directories of people's minds and keys of the store: letters, digits and ._- with / between parent and child.
[[nodiscard]] Result<void> check_new_chain_id(const ChainId& chain, bool child = false);

}  // namespace catena::coordinator
