#pragma once
// Chains that have slept until now, and end in the turn that their timer brings: many of them are decided by one actor, and share a commit. So a
// hundred thousand that are due at one moment cost neither as many actors nor as many turns of the supervisor (docs/adr/0055).
#include <caf/fwd.hpp>
#include <memory>
#include <string>
#include <vector>

#include "actors/messages.hpp"
#include "coordinator/services.hpp"
#include "coordinator/short_chain.hpp"
#include "storage/feed_store.hpp"
#include "storage/kv.hpp"

namespace catena::coordinator {

/// What came of those that were asked for.
struct LastTurns {
  struct Ended {
    std::uint64_t key = 0;
    actors::ChainEnded end;
  };
  std::vector<Ended> ended;               // once `batch` is durable
  std::vector<std::uint64_t> others;      // nothing has happened to them: they come back with coordinators of their own
  std::shared_ptr<storage::Batch> batch;  // null: nothing has ended
  storage::Durability durability = storage::Durability::async;
  std::vector<storage::Notice> notices;
};

class LastTurnTaker {
 public:
  explicit LastTurnTaker(std::shared_ptr<const Services> services) : services_{std::move(services)} {}
  [[nodiscard]] LastTurns take(const std::vector<actors::TakeLastTurns::Chain>& chains);

 private:
  struct Known {
    std::shared_ptr<const lang::Package> package;
    std::string definition;
    ShortProgram program;
  };
  [[nodiscard]] const Known* known(const engine::ChainState& state);
  [[nodiscard]] bool end(const actors::TakeLastTurns::Chain& chain, LastTurns& turns);

  std::shared_ptr<const Services> services_;
  std::vector<Known> known_;  // the last few programs
  std::size_t next_ = 0;      // of them, the one that makes room
};

struct LastTurnsState {
  std::unique_ptr<LastTurnTaker> taker;
  static inline const char* name = "last turns";
};

/// Of the supervisor.
caf::behavior last_turns(caf::stateful_actor<LastTurnsState>* self, std::shared_ptr<const Services> services);

}  // namespace catena::coordinator
