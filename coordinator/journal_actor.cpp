#include "coordinator/journal_actor.hpp"

#include <algorithm>

#include "base/failpoint.hpp"

namespace catena::coordinator {

caf::behavior journal_actor(caf::stateful_actor<JournalState>* self, storage::Kv* kv, Fatal fatal) {
  return {
      [=](const actors::Commit& commit) {
        auto& state = self->state;
        const bool first = state.waiting.empty();
        if (commit.batch) state.batch.append(*commit.batch);
        state.durability = std::min(state.durability, commit.durability);  // sync is the strongest and the smallest
        state.waiting.emplace_back(caf::actor_cast<caf::actor>(self->current_sender()), commit.ticket);
        if (first) self->send(self, caf::flush_atom_v);  // runs after everything that is queued already
      },
      [=](caf::flush_atom) {
        auto& state = self->state;
        CATENA_FAILPOINT("journal.before_sync");
        // An empty commit only asks to be answered behind those before it.
        if (!state.batch.empty()) {
          if (const auto written = kv->write(state.batch, state.durability); !written) return fatal(written.error());
        }
        CATENA_FAILPOINT("journal.after_sync");
        for (const auto& [actor, ticket] : state.waiting) self->send(actor, actors::Durable{ticket});
        state.batch.clear();
        state.durability = storage::Durability::none;
        state.waiting.clear();
      },
  };
}

}  // namespace catena::coordinator
