#include "coordinator/journal_actor.hpp"

#include <algorithm>
#include <caf/actor_cast.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>
#include <utility>

#include "base/failpoint.hpp"

namespace catena::coordinator {

namespace {

// Memory of one commit; what waits beyond it goes into the next.
constexpr std::size_t kGroupBytesMax = 4UL << 20U;

void flush(caf::stateful_actor<JournalState>* self, storage::Kv* kv, const Fatal& fatal) {
  auto& state = self->state;
  CATENA_FAILPOINT("journal.before_sync");
  // An empty commit only asks to be answered behind those before it.
  for (const auto& [batch, durability] : {std::pair{&state.logged, state.durability}, std::pair{&state.unlogged, storage::Durability::none}}) {
    if (batch->empty()) continue;
    if (const auto written = kv->write(*batch, durability); !written) return fatal(written.error());
  }
  CATENA_FAILPOINT("journal.after_sync");
  for (const auto& [actor, commit] : state.waiting) self->send(actor, actors::Durable{commit});
  state.logged.clear();
  state.unlogged.clear();
  state.durability = storage::Durability::none;
  state.waiting.clear();
}

}  // namespace

caf::behavior journal_actor(caf::stateful_actor<JournalState>* self, storage::Kv* kv, Fatal fatal) {
  return {
      [=](const actors::Commit& commit) {
        auto& state = self->state;
        auto& batch = commit.durability == storage::Durability::none ? state.unlogged : state.logged;
        if (commit.batch && batch.empty()) {
          std::swap(batch, *commit.batch);  // its sender has let go of it
        } else if (commit.batch) {
          batch.append(*commit.batch);
        }
        state.durability = std::min(state.durability, commit.durability);  // sync is the strongest and the smallest
        if (commit.number != 0) state.waiting.emplace_back(caf::actor_cast<caf::actor>(self->current_sender()), commit.number);
        if (state.logged.bytes() + state.unlogged.bytes() > kGroupBytesMax) {
          flush(self, kv, fatal);
        } else if (!std::exchange(state.flushing, true)) {
          self->send(self, caf::flush_atom_v);  // runs after everything that is queued already
        }
      },
      [=](caf::flush_atom) {
        self->state.flushing = false;
        flush(self, kv, fatal);
      },
  };
}

}  // namespace catena::coordinator
