#pragma once
// Which chains there are and who waits for them. Starts a chain coordinator for each that runs, rebuilds one that died from the
// journal, answers for those that have ended from the store.
#include <caf/actor.hpp>
#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/chain_coordinator.hpp"
#include "coordinator/ends_told.hpp"
#include "coordinator/families.hpp"
#include "coordinator/last_turn.hpp"
#include "coordinator/live_packages.hpp"
#include "coordinator/memory_gate.hpp"
#include "coordinator/resting.hpp"
#include "coordinator/services.hpp"
#include "coordinator/sweep.hpp"

namespace catena::coordinator {

struct SupervisorState {
  /// dozes: it was told to sleep, and its coordinator has not ended yet. wakes: it is brought back in a moment, or as soon
  /// as the store can be read. ends: it was due, and its end is being decided or written without a coordinator.
  enum class Life : std::uint8_t { lives, dozes, sleeps, wakes, ends };
  using ForChain = std::variant<actors::Control, actors::AskProgress, actors::AskExplain>;
  struct Running {
    caf::actor coordinator;  // none: it sleeps, or it died and is being rebuilt
    ChainId parent;
    bool has_final_steps = false;
    bool holds_children = false;                        // it is paused, as far as it has said
    std::optional<std::int8_t> children_priority = {};  // that a person has given it, and with it its children, since it lives here
    std::optional<bool> told_held = {};                 // what it was told last of the chain above
    Life life = Life::lives;
    bool wanted = false;  // while it dozes: it is to be woken at once
    std::uint32_t rebuilt = 0;
    ChainKey key = 0;
    caf::actor submitter;                               // of a chain that this supervisor began
    caf::actor step;                                    // of the parent, which waits for its end; in `waiting` too
    std::vector<caf::actor> waiting;                    // for its end
    std::vector<std::pair<caf::actor, ForChain>> kept;  // came while there was no coordinator
    UnixMillis due = 0;                                 // while it sleeps: when it goes on by itself; 0: never
    std::shared_ptr<const Resting> rest;                // while it sleeps: it comes back from this; null: from its records
    std::optional<Millis> lead;                         // and that of its time over the clock
    caf::error death;                                   // of which its last coordinator died
    std::uint32_t unread = 0;                           // how often the store could not be read for it since it slept
    std::optional<actors::ResumedBy> start;             // a start goes on with it, and nothing of it has been read yet
  };
  /// Put off until there is memory for it.
  struct Deferred {
    actors::Submission what;
    caf::actor asker;
  };
  std::shared_ptr<Services> services;
  std::map<ChainId, Running> running;
  std::unordered_map<ChainKey, std::map<ChainId, Running>::iterator> by_key;
  std::unordered_map<caf::actor_addr, ChainKey> by_address;
  ChainKey last_key = 0;
  Families families{0};
  MemoryGate memory{0};
  std::map<ChainId, Deferred> deferred;
  std::uint64_t spawned = 0;
  std::optional<Sweep> sweep;                         // as long as this lives
  std::map<actors::CommitNumber, Sweep::Done> swept;  // by number of the commit that stands behind what was written
  std::map<actors::CommitNumber, ChainId> deaths;     // whose coordinator died; by number of the commit that stands behind those of the dead
  EndsTold ends;
  std::size_t asleep = 0;                            // chains of which there is only what stands here
  std::size_t resting_bytes = 0;                     // of those
  std::set<std::pair<UnixMillis, ChainKey>> alarms;  // of those
  std::set<ChainKey> coming;                         // they were due, and have not gone on yet
  /// Those that were due, and may end in one turn.
  struct Ending {
    caf::actor taker;  // none: nothing was asked of it yet, or it has died
    std::deque<std::vector<ChainKey>> asked;
    std::map<actors::CommitNumber, std::vector<LastTurns::Ended>> written;  // not durable yet
  };
  Ending ending;
  UnixMillis alarm = 0;  // when the first of them is looked at; 0: no timer is out
  actors::CommitNumber last_commit = 0;
  LivePackages packages;
  /// A submission with a key whose chain begins, and is not durable yet.
  struct Keyed {
    ChainId chain;
    caf::actor asker;
    std::vector<std::pair<actors::Submission, caf::actor>> others;  // with the same key: they are looked at when this one is durable, or refused
  };
  std::map<std::string, Keyed> keyed;
  std::map<ChainId, std::string> keyed_chains;
  bool keys_watched = false;  // a KeysDue is on its way
  /// A fork that is being copied, or that begins, and is not durable yet.
  struct Forking {
    actors::ForkChain fork;
    caf::actor asker;
    caf::actor_addr copier;  // as long as it is being copied
  };
  std::map<ChainId, Forking> forks;
  std::set<ChainId> removing;  // submitted chains, with their descendants: the housekeeper takes them out of the store
  static inline const char* name = "supervisor";

  /// As chains that live have it, or read again. Errors: those of recover_package.
  [[nodiscard]] Result<std::shared_ptr<const lang::Package>> package_of(const std::string& hash);
};
using SupervisorSelf = caf::stateful_actor<SupervisorState>*;

/// `services` gets its supervisor handle here; journal and dispatcher are set before the first chain runs.
caf::behavior supervisor(caf::stateful_actor<SupervisorState>* self, std::shared_ptr<Services> services);

}  // namespace catena::coordinator
